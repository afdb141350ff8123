import { longList } from './long-answer.ts';
import { type Asked, type ProtocolRow, protocolRows, type Reading } from './protocol-rows.ts';

export { type Asked, type ProtocolRow, protocolRows } from './protocol-rows.ts';

export const textRows = protocolRows.filter(({ kind }) => kind === 'text');

/** One after another, and again from the first. */
export function inTurn<Row>(rows: readonly Row[], n: number): Row {
  const row = rows[n % rows.length];
  if (row === undefined) throw new Error('There are none.');
  return row;
}

/** Every protocol, in one piece and, where it can, as a stream. */
export const callForms = protocolRows.flatMap((row) =>
  (row.stream ? [false, true] : [false]).map((stream) => ({ row, stream })),
);

/** Those that stream, with how their streams are read. */
export const streamingRows = protocolRows.flatMap((row) => (row.stream ? [{ ...row, stream: row.stream }] : []));

export function bodyOf(row: ProtocolRow, asked: Asked = {}): Record<string, unknown> {
  const { model = row.project, text = 'Hello!', maxTokens = 2, stream = false, longFor, extra = {} } = asked;
  const schema = longFor === undefined ? null : longList(longFor);
  return { ...row.body({ model, text, maxTokens, stream, schema }), ...extra };
}

export const readingOf = (row: ProtocolRow, { stream = false }: Asked = {}): Reading =>
  (stream ? row.stream : null) ?? row.whole;

export type Caller = {
  origin: string;
  /** Slug of the account whose project is called. */
  owner: string;
  /** Default: that of the row. */
  project?: string;
  key: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export const pathOf = (row: ProtocolRow, { owner, project = row.project }: Pick<Caller, 'owner' | 'project'>) =>
  `/api/projects/${owner}/${project}/${row.path}`;

/** Calls a model as a client of the protocol does. */
export function callModel(row: ProtocolRow, caller: Caller, asked: Asked = {}): Promise<Response> {
  const { origin, key, headers = {}, signal = AbortSignal.timeout(180_000) } = caller;
  return fetch(origin + pathOf(row, caller), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...row.keys.at(-1)?.(key), ...headers },
    body: JSON.stringify(bodyOf(row, asked)),
    signal,
  });
}
