import { Readable } from 'node:stream';
import { isFields } from '#kernel';
import type { OwnApi } from './own-api.ts';

/** A file of the archive. It is opened when its turn comes; null: what it would hold is gone. */
export type Entry = { name: string; isPacked: boolean; open: () => Promise<Readable | null> };

/** Adapters up to this size are in the archive; of larger ones, the list has the route. */
const largestAdapterBytes = 512 * 1024 * 1024;

type Row = Record<string, unknown>;

/** The files of an account's archive, in their order. What is listed is read while the archive is written. */
export async function* entriesOf(api: OwnApi): AsyncGenerator<Entry> {
  yield one('account.json', () => api.read('/api/v1/me'));
  yield list('keys.jsonl', () => api.rows('/api/v1/keys'));
  yield list('ledger.jsonl', () => api.rows('/api/v1/credits/usage'));
  yield list('activity.jsonl', () => bothOf(api, '/api/v1/activity'));
  for await (const project of bothOf(api, '/api/v1/projects', { access: 'owned' })) yield* ofProject(api, project);
}

async function* ofProject(api: OwnApi, project: Row): AsyncGenerator<Entry> {
  const owner = isFields(project['owner']) ? text(project['owner'], 'slug') : '';
  const slug = text(project, 'slug');
  const path = `/api/v1/projects/${owner}/${slug}`;
  const folder = `projects/${slug}`;
  yield one(`${folder}/project.json`, async () => project);
  yield list(`${folder}/datasets.jsonl`, () => bothOf(api, `${path}/datasets`));
  for await (const { id } of bothOf(api, `${path}/datasets`))
    yield list(`${folder}/datasets/${id}.jsonl`, () => importable(api.rows(`${path}/datasets/${id}/examples`)));
  if (project['kind'] === 'text') {
    yield list(`${folder}/chats.jsonl`, () => bothOf(api, `${path}/chats`));
    for await (const { id } of bothOf(api, `${path}/chats`))
      yield list(`${folder}/chats/${id}.jsonl`, () => api.rows(`${path}/chats/${id}/messages`));
    yield list(`${folder}/saved-calls.jsonl`, () => eachWhole(api, `${path}/saved-calls`));
  } else
    for await (const { id } of bothOf(api, `${path}/datasets`))
      yield list(`${folder}/search-feedback/${id}.jsonl`, () =>
        eachWhole(api, `${path}/datasets/${id}/retrieval-events`),
      );
  yield list(`${folder}/training-jobs.jsonl`, () => jobsOf(api, path));
  for await (const job of jobsOf(api, path))
    if (job['adapter_download'] === null)
      yield { name: `${folder}/adapters/${job['id']}.zip`, isPacked: true, open: () => api.file(loraOf(path, job)) };
}

/** Training jobs as the API has them; `adapter_download` is the route to an adapter that is not in the archive. */
async function* jobsOf(api: OwnApi, path: string): AsyncGenerator<Row> {
  for await (const job of api.rows(`${path}/training-jobs`)) {
    if (job['state'] !== 'succeeded') yield job;
    else yield { ...job, adapter_download: sizeOf(job) <= largestAdapterBytes ? null : loraOf(path, job) };
  }
}

const loraOf = (path: string, { id }: Row) => `${path}/training-jobs/${id}/lora`;

function sizeOf({ result }: Row): number {
  const adapter = isFields(result) ? result['adapter'] : null;
  const bytes = isFields(adapter) ? adapter['size_bytes'] : null;
  return typeof bytes === 'number' ? bytes : 0;
}

/** Of lists that show archived rows apart. */
async function* bothOf(api: OwnApi, path: string, query: Record<string, string> = {}): AsyncGenerator<Row> {
  for (const archived of ['false', 'true']) yield* api.rows(path, { ...query, archived });
}

/** Of a list whose rows are short: each row whole. */
async function* eachWhole(api: OwnApi, path: string): AsyncGenerator<Row> {
  for await (const { id } of api.rows(path)) {
    const whole = await api.read(`${path}/${id}`);
    if (whole) yield whole;
  }
}

/** Examples as a file that can be imported again. */
async function* importable(examples: AsyncGenerator<Row>): AsyncGenerator<string> {
  for await (const { text: asText, embedding, split } of examples) {
    const content = JSON.stringify(asText ?? embedding);
    yield `${content.slice(0, -1)},"split":${JSON.stringify(split)}}`;
  }
}

function text(row: Row, field: string): string {
  const value = row[field];
  if (typeof value !== 'string') throw new Error(`A row has no ${field}. This is a bug.`);
  return value;
}

function one(name: string, read: () => Promise<Row | null>): Entry {
  return {
    name,
    isPacked: false,
    open: async () => {
      const row = await read();
      return row && Readable.from([`${JSON.stringify(row, null, 2)}\n`], { objectMode: false });
    },
  };
}

function list(name: string, rows: () => AsyncGenerator<Row | string>): Entry {
  return { name, isPacked: false, open: async () => Readable.from(linesOf(rows()), { objectMode: false }) };
}

async function* linesOf(rows: AsyncGenerator<Row | string>): AsyncGenerator<string> {
  for await (const row of rows) yield `${typeof row === 'string' ? row : JSON.stringify(row)}\n`;
}
