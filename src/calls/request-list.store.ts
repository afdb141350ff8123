import type { Sql } from '#db';
import type { EndState, LoggedRequest } from './request-log.store.ts';

/** Which calls of an account are listed. Null: no filter. */
export type RequestFilter = {
  accountId: string;
  /** Only ids from this one on, and before that one. */
  firstId: string;
  endId: string | null;
  project: readonly [ownerSlug: string, slug: string] | null;
  model: string | null;
  keyId: string | null;
  state: EndState | null;
  errorCode: string | null;
  operation: string | null;
};

export type RequestRow = Omit<LoggedRequest, 'accountId' | 'projectId'> & {
  ownerSlug: string | null;
  projectSlug: string | null;
};

export type FoundRequests = {
  rows: RequestRow[];
  /** Where the next page begins; null: this is the last one. */
  next: string | null;
  totalCount: number;
  isExact: boolean;
};

/** Calls that a page may look at, and calls among which all are counted. */
const mostExamined = 10_000;
const mostCounted = 1_000;

/** No id is as high. */
const afterAll = 'req_~';

/** Of the filters; the numbers are those of `bindings`. */
const matches = `
  ($4::text is null or log.project_id = (
    select p.id from accounts a join projects p on p.account_id = a.id where a.slug = $4 and p.slug = $5))
  and ($6::text is null or log.model = $6) and ($7::text is null or log.key_id = $7)
  and ($8::text is null or log.state = $8) and ($9::text is null or log.error_code = $9)
  and ($10::text is null or log.operation = $10)`;

/** What a statement is called in statistics; there are two of each. */
const named = (name: string, filter: RequestFilter) => ({ name: onlyFailures(filter) ? `${name}_failed` : name });

const onlyFailures = ({ state, errorCode }: RequestFilter): boolean =>
  (state !== null && state !== 'succeeded') || errorCode !== null;

/** Newest first along the primary key, or along the index of those that did not succeed. */
function latest(filter: RequestFilter, columns: string): string {
  return `select ${columns} from request_log where account_id = $1 and id >= $2 and id < $3
    ${onlyFailures(filter) ? "and state <> 'succeeded'" : ''} order by id desc`;
}

function bindings(filter: RequestFilter, endId: string): (string | null)[] {
  const [owner = null, slug = null] = filter.project ?? [];
  const { accountId, firstId, model, keyId, state, errorCode, operation } = filter;
  return [accountId, firstId, endId, owner, slug, model, keyId, state, errorCode, operation];
}

/** A page of calls before `before`, and how many there are. What is looked at is bounded, whatever the filters leave of it. */
export async function findRequestPage(
  sql: Sql,
  filter: RequestFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<FoundRequests> {
  const endId = filter.endId ?? afterAll;
  const [found, count] = await Promise.all([
    listRows(sql, filter, { limit: limit + 1, before: before ?? endId }),
    countRows(sql, filter, endId),
  ]);
  const rows = found.slice(0, limit);
  const next = found.length > limit ? (rows.at(-1)?.id ?? null) : await findBound(sql, filter, before ?? endId);
  return { ...count, rows, next };
}

async function listRows(
  sql: Sql,
  filter: RequestFilter,
  { limit, before }: { limit: number; before: string },
): Promise<RequestRow[]> {
  return sql.query<RequestRow>(
    `with page as (
       select * from (${latest(filter, '*')} limit ${mostExamined}) log where ${matches} order by id desc limit $11
     )
     select page.id, page.state, page.operation, page.key_id as "keyId", page.key_name as "keyName", page.model,
            page.http_status as "httpStatus", page.error_code as "errorCode", page.error_message as "errorMessage",
            page.prompt_tokens as "promptTokens", page.completion_tokens as "completionTokens",
            page.first_token_ms as "firstTokenMs", page.total_ms as "totalMs", page.active_ms as "activeMs",
            coalesce(-once.micro, page.micro) as micro, page.finished_at as "finishedAt",
            owner.slug as "ownerSlug", project.slug as "projectSlug"
       from page
       left join ledger_once once on page.state = 'unknown' and once.request_id = page.id and once.type = 'inference'
       left join project_addresses project on project.id = page.project_id
       left join accounts owner on owner.id = project.account_id
      order by page.id desc`,
    [...bindings(filter, before), limit],
    named('requests.list', filter),
  );
}

async function countRows(
  sql: Sql,
  filter: RequestFilter,
  endId: string,
): Promise<Pick<FoundRequests, 'totalCount' | 'isExact'>> {
  const [row] = await sql.query<{ matching: number; examined: number }>(
    `select (count(*) filter (where ${matches}))::integer as matching, count(*)::integer as examined
       from (${latest(filter, '*')} limit ${mostCounted + 1}) log`,
    bindings(filter, endId),
    named('requests.count', filter),
  );
  if (!row) throw new Error('A count gave no row. This is a bug.');
  return { totalCount: row.matching, isExact: row.examined <= mostCounted };
}

/** The last call that a page has looked at; null: it has looked at all. */
async function findBound(sql: Sql, filter: RequestFilter, before: string): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(
    `${latest(filter, 'id')} offset ${mostExamined - 1} limit 1`,
    [filter.accountId, filter.firstId, before],
    named('requests.find_bound', filter),
  );
  return row?.id ?? null;
}
