import { findImportOrphans } from '#datasets';
import type { Database } from '#db';
import type { ListedObject, ObjectStore } from '#objects';
import { findOrphanTrainingObjects, removeOrphanTrainingObjects } from '#training';

export type ObjectCheck = {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'remove'>;
  removes: boolean;
  print: (line: string) => void;
  nowMs?: number;
};

/** Younger objects are left alone: uploads and checkpoints take minutes, and their rows may not be written yet. */
const youngMs = 86_400_000;
const mostNamed = 20;

/**
 * Looks for objects that no row refers to, as crashes leave them, and removes them if asked. Returns the reasons why
 * something could not be removed.
 */
export async function checkObjects({ nowMs = Date.now(), ...check }: ObjectCheck): Promise<string[]> {
  const { print, removes } = check;
  const found = await count(check, nowMs);
  const { orphans, foreign } = found;
  printFindings(print, found);
  if (!removes) {
    if (orphans.count > 0) print('objects: they harm nobody; `fanfold doctor --remove-objects` removes them');
    return [];
  }
  if (orphans.count === 0) return [];
  if (foreign.count > 0)
    return [
      'objects: nothing was removed: the place may belong to another installation too, or the database is older than it',
    ];
  await forOrphans(check, nowMs, (_, { orphans: keys }) => remove(check, [...keys]));
  print('objects: removed; servers remove frozen data of training jobs within minutes');
  return [];
}

type Found = { orphans: Tally; foreign: Tally };

async function count(check: ObjectCheck, nowMs: number): Promise<Found> {
  const found = { orphans: new Tally(), foreign: new Tally() };
  await forOrphans(check, nowMs, async (page, { orphans, foreign }) => {
    for (const object of page) {
      if (orphans.has(object.key)) found.orphans.add(object);
      if (foreign.has(object.key)) found.foreign.add(object);
    }
  });
  return found;
}

function printFindings(print: ObjectCheck['print'], { orphans, foreign }: Found): void {
  if (orphans.count === 0) print('objects: rows lead to all that are older than a day');
  else {
    print(`objects: nothing leads to ${orphans.text()}:`);
    for (const key of orphans.keys) print(`  ${key}`);
    if (orphans.count > orphans.keys.length) print(`  and ${orphans.count - orphans.keys.length} more`);
  }
  if (foreign.count > 0)
    print(
      `objects: ${foreign.text()} of imports or training jobs that this database does not know, such as ${foreign.keys[0]}`,
    );
}

type Sets = { orphans: ReadonlySet<string>; foreign: ReadonlySet<string> };

/** A page at a time, however many objects there are. */
async function forOrphans(
  { database, objects }: ObjectCheck,
  nowMs: number,
  take: (page: readonly ListedObject[], found: Sets) => Promise<void>,
): Promise<void> {
  for await (const page of objects.list()) {
    const keys = page.filter(({ changedMs }) => changedMs < nowMs - youngMs).map(({ key }) => key);
    const imports = await findImportOrphans(database, keys);
    const training = await findOrphanTrainingObjects(database, keys);
    await take(page, {
      orphans: new Set([...imports.orphans, ...training.orphans]),
      foreign: new Set([...imports.foreign, ...training.foreign]),
    });
  }
}

async function remove({ database, objects }: ObjectCheck, keys: readonly string[]): Promise<void> {
  const { orphans } = await findImportOrphans(database, keys);
  // Keys are never used again.
  for (const key of orphans) await objects.remove(key);
  await removeOrphanTrainingObjects({ sql: database, objects }, keys);
}

class Tally {
  readonly keys: string[] = [];
  count = 0;
  #bytes = 0;

  add({ key, bytes }: ListedObject): void {
    this.count += 1;
    this.#bytes += bytes;
    if (this.keys.length < mostNamed) this.keys.push(key);
  }

  text(): string {
    return `${this.count} ${this.count === 1 ? 'object' : 'objects'} (${(this.#bytes / 1e6).toFixed(1)} MB)`;
  }
}
