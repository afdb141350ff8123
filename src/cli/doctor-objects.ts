import { findStrayImportObjects, type StrayKeys } from '#datasets';
import type { Database } from '#db';
import type { ListedObject, ObjectStore } from '#objects';
import { findStrayTrainingObjects, removeStrayTrainingObjects } from '#training';

export type ObjectCheck = {
  database: Database;
  objects: Pick<ObjectStore, 'list' | 'remove'>;
  /** Whether to remove what is found. */
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
  const { stray, foreign } = found;
  tell(print, found);
  if (!removes) {
    if (stray.count > 0) print('objects: they harm nobody; `fanfold doctor --remove-objects` removes them');
    return [];
  }
  if (stray.count === 0) return [];
  if (foreign.count > 0)
    return [
      'objects: nothing was removed: the place may belong to another installation too, or the database is older than it',
    ];
  await forStrays(check, nowMs, (_, { stray: keys }) => remove(check, [...keys]));
  print('objects: removed; servers remove frozen data of training jobs within minutes');
  return [];
}

type Found = { stray: Tally; foreign: Tally };

async function count(check: ObjectCheck, nowMs: number): Promise<Found> {
  const found = { stray: new Tally(), foreign: new Tally() };
  await forStrays(check, nowMs, async (page, { stray, foreign }) => {
    for (const object of page) {
      if (stray.has(object.key)) found.stray.add(object);
      if (foreign.has(object.key)) found.foreign.add(object);
    }
  });
  return found;
}

function tell(print: ObjectCheck['print'], { stray, foreign }: Found): void {
  if (stray.count === 0) print('objects: rows lead to all that are older than a day');
  else {
    print(`objects: nothing leads to ${stray.text()}:`);
    for (const key of stray.keys) print(`  ${key}`);
    if (stray.count > stray.keys.length) print(`  and ${stray.count - stray.keys.length} more`);
  }
  if (foreign.count > 0)
    print(
      `objects: ${foreign.text()} of imports or training jobs that this database does not know, such as ${foreign.keys[0]}`,
    );
}

type Sets = { stray: ReadonlySet<string>; foreign: ReadonlySet<string> };

/** A page at a time, however many objects there are. */
async function forStrays(
  { database, objects }: ObjectCheck,
  nowMs: number,
  take: (page: readonly ListedObject[], found: Sets) => Promise<void>,
): Promise<void> {
  for await (const page of objects.list()) {
    const keys = page.filter(({ changedMs }) => changedMs < nowMs - youngMs).map(({ key }) => key);
    const parts: StrayKeys[] = [
      await findStrayImportObjects(database, keys),
      await findStrayTrainingObjects(database, keys),
    ];
    const all = (what: 'stray' | 'foreign') => new Set(parts.flatMap((part) => part[what]));
    await take(page, { stray: all('stray'), foreign: all('foreign') });
  }
}

async function remove({ database, objects }: ObjectCheck, keys: readonly string[]): Promise<void> {
  const { stray } = await findStrayImportObjects(database, keys);
  // Keys are never used again.
  for (const key of stray) await objects.remove(key);
  await removeStrayTrainingObjects({ sql: database, objects }, keys);
}

class Tally {
  /** The first ones. */
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
