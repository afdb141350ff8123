import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import type { ActivityType, Severity } from './activity-types.ts';
import type { SubjectKind } from './subject-href.ts';

export type NewActivityRow = {
  id: string;
  accountId: string;
  type: ActivityType;
  severity: Severity;
  actor: { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string };
  project: { ownerSlug: string; slug: string } | null;
  subject: { kind: SubjectKind; id: string; label: string };
  message: string;
  data: Record<string, unknown>;
  requestId: string | null;
};

/** A row of the feed as it was written; types and kinds may be those of another release. */
export type ActivityRow = {
  id: string;
  type: string;
  severity: Severity;
  actorKind: 'account' | 'api_key' | 'system';
  actorId: string | null;
  actorLabel: string;
  projectOwner: string | null;
  projectSlug: string | null;
  subjectKind: string;
  subjectId: string;
  subjectLabel: string;
  message: string;
  data: Record<string, unknown>;
  requestId: string | null;
  archivedAt: Date | null;
  createdAt: Date;
};

const columns = `id, type, severity, actor_kind as "actorKind", actor_id as "actorId", actor_label as "actorLabel",
  project_owner as "projectOwner", project_slug as "projectSlug", subject_kind as "subjectKind",
  subject_id as "subjectId", subject_label as "subjectLabel", message, data, request_id as "requestId",
  archived_at as "archivedAt", created_at as "createdAt"`;

/** `now()` is when the transaction began: of two changes that waited for each other, the later one would come first. */
export async function insertActivity(sql: Sql, row: NewActivityRow): Promise<void> {
  await sql.query(
    `insert into activity (id, account_id, type, severity, actor_kind, actor_id, actor_label, project_owner,
       project_slug, subject_kind, subject_id, subject_label, message, data, request_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, clock_timestamp())`,
    [
      row.id,
      row.accountId,
      row.type,
      row.severity,
      row.actor.kind,
      row.actor.id,
      row.actor.label,
      row.project?.ownerSlug ?? null,
      row.project?.slug ?? null,
      row.subject.kind,
      row.subject.id,
      row.subject.label,
      row.message,
      JSON.stringify(row.data),
      row.requestId,
    ],
  );
}

type ArchiveFilter = 'false' | 'true' | 'all';

export type ActivityFilter = {
  accountId: string;
  archived: ArchiveFilter;
  type: ActivityType | null;
  project: { ownerSlug: string; slug: string } | null;
  /** The account or key that did it. */
  actorId: string | null;
};

/** Literal, so that the index of what is not archived serves the list that everybody opens. */
const archivedIs: Record<ArchiveFilter, string> = {
  false: 'and archived_at is null',
  true: 'and archived_at is not null',
  all: '',
};

/** Literal, too, so that an actor is always looked for in the index of actors. */
const actorIs = (actorId: string | null) => (actorId === null ? 'and $5::text is null' : 'and actor_id = $5');

const filtered = ({ archived, actorId }: ActivityFilter) => `from activity
  where account_id = $1 ${archivedIs[archived]} ${actorIs(actorId)} and ($2::text is null or type = $2)
    and ($3::text is null or (project_owner = $3 and project_slug = $4))`;

const filterValues = ({ accountId, type, project, actorId }: ActivityFilter) => [
  accountId,
  type,
  project?.ownerSlug ?? null,
  project?.slug ?? null,
  actorId,
];

export function listActivityRows(
  sql: Sql,
  filter: ActivityFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<ActivityRow>[]> {
  return sql.query(
    `select ${columns}, ${timeText('created_at')} as position
       ${filtered(filter)} and (created_at, id) < ($6::timestamptz, $7)
      order by created_at desc, id desc limit $8`,
    [...filterValues(filter), after.createdAt, after.id, limit],
  );
}

export async function countActivityRows(sql: Sql, filter: ActivityFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total ${filtered(filter)}`,
    filterValues(filter),
  );
  return row?.total ?? 0;
}

/** One statement, whatever the state was; null: the account has no such row. */
export async function updateActivityArchived(
  sql: Sql,
  row: { id: string; accountId: string; archived: boolean },
): Promise<ActivityRow | null> {
  const [found] = await sql.query<ActivityRow>(
    `update activity set archived_at = case when $3 then coalesce(archived_at, now()) end
      where id = $1 and account_id = $2 returning ${columns}`,
    [row.id, row.accountId, row.archived],
  );
  return found ?? null;
}

export type ArchiveSelection = { accountId: string; before: Date | null; ids: readonly string[] | null };

/** Archives at most `limit` of the selected rows that are not archived; says how many. Locks in one order for all. */
export async function archiveSelected(sql: Sql, { accountId, before, ids }: ArchiveSelection, limit: number) {
  const rows = await sql.query(
    `with due as (
       select id, created_at from activity
        where account_id = $1 and archived_at is null
          and ($2::timestamptz is null or created_at < $2) and ($3::text[] is null or id = any($3))
        order by created_at desc, id desc limit $4
        for no key update
     )
     update activity set archived_at = now() from due
      where activity.id = due.id and activity.created_at = due.created_at returning activity.id`,
    [accountId, before, ids, limit],
  );
  return rows.length;
}
