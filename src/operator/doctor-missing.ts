import { listNeededParts, listUnneededParts } from '#datasets';
import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import { artifactKeys, listServedJobs } from '#training';

export type MissingCheck = {
  database: Database;
  objects: Pick<ObjectStore, 'size'>;
  print: (line: string) => void;
};

type Needed = { key: string; by: string };

const pageSize = 500;
const maxRequests = 8;
const mostNamed = 20;

/**
 * Looks for objects that jobs which succeeded and imports in flight cannot do without: after a restore the store may be
 * older than the database. Returns what is missing, a line for each object.
 */
export async function checkMissing({ database, objects, print }: MissingCheck): Promise<string[]> {
  const lines: string[] = [];
  let missing = 0;
  for await (const page of neededPages(database))
    for (const { key, by } of await stillNeeded(database, await absentOf(objects, page))) {
      missing += 1;
      if (missing <= mostNamed) lines.push(`objects: ${key} is missing, which ${by} needs`);
    }
  if (missing === 0) print('objects: all that finished training jobs and imports in flight need is there');
  if (missing > mostNamed) lines.push(`objects: ${missing - mostNamed} more are missing`);
  return lines;
}

async function* neededPages(database: Database): AsyncGenerator<Needed[]> {
  const jobs = pagesOf(
    (after) => listServedJobs(database, { after, limit: pageSize }),
    ({ jobId }) => jobId,
  );
  for await (const page of jobs)
    yield page.flatMap((job) =>
      Object.values(artifactKeys(job)).map((key) => ({ key, by: `training job ${job.jobId}` })),
    );
  const parts = pagesOf(
    (after) => listNeededParts(database, { after, limit: pageSize }),
    ({ key }) => key,
  );
  for await (const page of parts) yield page.map(({ key, importId }) => ({ key, by: `import ${importId}` }));
}

/** Rows in their order, some at a time; `nameOf` is what they are ordered by. */
async function* pagesOf<Row>(
  read: (after: string) => Promise<Row[]>,
  nameOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  let rows = await read('');
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield rows;
    rows = await read(nameOf(last));
  }
}

async function absentOf(objects: MissingCheck['objects'], needed: readonly Needed[]): Promise<Needed[]> {
  const absent: Needed[] = [];
  for (let at = 0; at < needed.length; at += maxRequests) {
    const some = needed.slice(at, at + maxRequests);
    const sizes = await Promise.all(some.map(({ key }) => objects.size(key)));
    absent.push(...some.filter((_, index) => sizes[index] === null));
  }
  return absent;
}

/** An import may have ended meanwhile, and a server has removed its file. */
async function stillNeeded(database: Database, absent: readonly Needed[]): Promise<Needed[]> {
  const ended = new Set(
    await listUnneededParts(
      database,
      absent.map(({ key }) => key),
    ),
  );
  return absent.filter(({ key }) => !ended.has(key));
}
