import type { Sql } from '#db';
import { parseExactJson } from '#kernel';
import type { ExampleContent } from '../content/example-content.ts';
import type { Split } from '../examples/new-examples.ts';
import { type DatasetVersion, listExamplesAt, type StoredExample, type VersionPosition } from './versions.store.ts';

const batch = { limit: 1_000, bytes: 4_000_000 };

/** A state of a dataset; rows alive at it never change. */
export type State = Pick<DatasetVersion, 'datasetId' | 'seq'>;

/** The examples of a state in canonical order, some at a time. Only valid ones are in it. */
export async function* streamState(
  sql: Sql,
  state: State,
  { split = null }: { split?: Split | null } = {},
): AsyncGenerator<StoredExample[]> {
  const rowsAfter = (after: VersionPosition | null) => listExamplesAt(sql, { ...state, split }, { after, ...batch });
  let rows = await rowsAfter(null);
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    // The database looks for the next ones while these are worked with.
    const next = rowsAfter(last);
    next.catch(() => {});
    yield rows;
    rows = await next;
  }
}

export type VersionExample = Omit<StoredExample, 'json'> & { content: ExampleContent };

export async function* streamVersion(
  sql: Sql,
  version: State,
  options: { split?: Split | null } = {},
): AsyncGenerator<VersionExample[]> {
  for await (const rows of streamState(sql, version, options)) yield rows.map(toExample);
}

export async function pageVersion(
  sql: Sql,
  version: State,
  { split, after, limit }: { split: Split | null; after: VersionPosition | null; limit: number },
): Promise<VersionExample[]> {
  const rows = await listExamplesAt(sql, { ...version, split }, { after, limit, bytes: batch.bytes });
  return rows.map(toExample);
}

/** Written by this room, in the shape of what was checked. */
function toExample({ json, ...rest }: StoredExample): VersionExample {
  return { ...rest, content: parseExactJson(json) as ExampleContent };
}

/**
 * A version as a file of JSON lines: each the canonical JSON of the content with its split behind, sorted by the SHA-256
 * of the content, then by split. Equal content gives equal bytes, in whatever order it came, and no ids are in it. With
 * `splitOf` each has the split that somebody makes of it, whatever the version says.
 */
export async function* streamLines(
  sql: Sql,
  version: State,
  { split = null, splitOf }: { split?: Split | null; splitOf?: (example: VersionExample) => Split } = {},
): AsyncGenerator<Buffer> {
  if (splitOf === undefined) {
    for await (const rows of streamState(sql, version, { split })) yield Buffer.from(rows.map(lineOf).join(''));
    return;
  }
  for await (const rows of streamState(sql, version)) {
    const made = rows.map((row) => ({ json: row.json, split: splitOf(toExample(row)) }));
    const chosen = made.filter((row) => split === null || row.split === split);
    if (chosen.length > 0) yield Buffer.from(chosen.map(lineOf).join(''));
  }
}

export function lineOf({ json, split }: Pick<StoredExample, 'json' | 'split'>): string {
  return `${json.slice(0, -1)}${lineEnd(split)}`;
}

/** In the place of the last brace of the JSON. */
export function lineEnd(split: Split): string {
  return `,"split":"${split}"}\n`;
}
