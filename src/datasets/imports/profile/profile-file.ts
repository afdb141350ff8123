import { contentHash } from '../../content/check-example.ts';
import type { ExampleContent } from '../../content/example-content.ts';
import { detectShape } from '../mapping/detect-shape.ts';
import { isMapping, readMapping } from '../mapping/mapping.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { type FileProfile, ProfileBuilder, type ProfiledRow, type ProfileOptions } from './profile-builder.ts';
import { type ValidatedRow, validateRow } from './validate-row.ts';

export async function profileFile(file: OpenedFile, options: ProfileOptions): Promise<FileProfile> {
  const { first, batches } = await peekRows(file.rows, options.sampleRows);
  const detected = detectShape(
    options.kind,
    first.flatMap(({ fields }) => (fields ? [fields] : [])),
  );
  const wireMapping = options.mapping ?? detected.mapping;
  const read = wireMapping && readMapping(wireMapping, { kind: options.kind, columns: null });
  const mapping = read && isMapping(read) ? read : null;
  const builder = new ProfileBuilder(options);
  let previous = Promise.resolve();
  for await (const rows of batches) {
    const validated = rows.map((row) => validateRow(row, options.kind, mapping));
    // While the tokeniser and the database work for this batch, the next one is read.
    const profiled = lookUp(validated, options);
    profiled.catch(() => {});
    await previous;
    options.onProgress(builder.rows);
    previous = profiled.then((batch) => builder.add(batch));
    previous.catch(() => {});
  }
  await previous;
  return builder.finish(file, { detected, mapping: wireMapping });
}

async function peekRows(
  source: AsyncIterable<SourceRow[]>,
  count: number,
): Promise<{ first: SourceRow[]; batches: AsyncIterable<SourceRow[]> }> {
  const iterator = source[Symbol.asyncIterator]();
  const read: SourceRow[][] = [];
  let rows = 0;
  while (rows < count) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
    rows += next.value.length;
  }
  async function* batches(): AsyncGenerator<SourceRow[]> {
    try {
      yield* read.splice(0);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { first: read.flat().slice(0, count), batches: batches() };
}

async function lookUp(
  rows: readonly ValidatedRow[],
  { tokenCounter, findExisting }: ProfileOptions,
): Promise<ProfiledRow[]> {
  const contents: ExampleContent[] = [];
  const hashes: Buffer[] = [];
  for (const { example } of rows) {
    if (!example) continue;
    contents.push(example.content);
    hashes.push(contentHash(example.json));
  }
  const [counts, existing] = await Promise.all([
    tokenCounter ? tokenCounter.count(contents) : [],
    findExisting && hashes.length > 0 ? findExisting(hashes) : none,
  ]);
  let at = 0;
  return rows.map(({ row, issues, example }) => {
    if (!example) return { row, issues, example };
    const hash = hashes[at];
    const tokens = counts[at++] ?? null;
    if (!hash) throw new Error('An example without a hash. This is a bug.');
    const exists = existing.size > 0 && existing.has(hash.toString('hex'));
    return { row, issues, example: { ...example, hash, tokens, exists } };
  });
}

const none: ReadonlySet<string> = new Set();
