import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Sql } from '#db';
import { type CursorCodec, fault } from '#kernel';
import type { ObjectStore } from '#objects';
import type { IssueCode } from '../content/issues.ts';
import { wrongState } from './import-access.ts';
import { listIssues as listRows } from './import-issues.store.ts';
import type { ImportRecord, SourceIssue } from './import-record.ts';

export type IssuePage = {
  rows: { position: number; issue: SourceIssue }[];
  limit: number;
  totalCount: number;
  cursorOf: (row: { position: number }) => string;
};

export async function listIssues(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  { record, code }: { record: ImportRecord; code: IssueCode | null },
  { limit, cursor }: { limit: number; cursor: string | null },
): Promise<IssuePage> {
  const scope = ['import issues', record.id, String(record.profileNumber), code ?? ''];
  const after = cursor === null ? 0 : Number(cursors.decode(scope, cursor)[0]);
  if (!Number.isSafeInteger(after)) throw fault('invalid_cursor', { param: 'cursor' });
  const { rows, totalCount } = await listRows(sql, { importId: record.id, code }, { after, limit: limit + 1 });
  return { rows, totalCount, limit, cursorOf: ({ position }) => cursors.encode(scope, [String(position)]) };
}

/** All issues as a stream of JSON lines. Throws `state_conflict` before there are any, `artifact_not_found` a day after the end. */
export async function openIssueFile(
  objects: Pick<ObjectStore, 'get'>,
  { record, code }: { record: ImportRecord; code: IssueCode | null },
): Promise<Readable> {
  if (record.profile === null) throw wrongState(record.state, ['ready']);
  if (record.issuesKey === null) throw fault('artifact_not_found');
  const file = await objects.get(record.issuesKey);
  return code === null ? file : Readable.from(linesWith(file, code));
}

async function* linesWith(file: Readable, code: IssueCode): AsyncGenerator<string> {
  for await (const line of createInterface({ input: file })) {
    const issue: unknown = JSON.parse(line);
    if (typeof issue === 'object' && issue !== null && Reflect.get(issue, 'code') === code) yield `${line}\n`;
  }
}
