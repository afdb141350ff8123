import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import type { ProjectSeen } from './access.store.ts';
import { type ProjectKind, projectColumns } from './projects.store.ts';

export type ProjectFilter = {
  accountId: string;
  /** The account's own, those in which it may call a model that was shared with it, or both. */
  access: 'owned' | 'shared' | 'all';
  archived: boolean;
  kind: ProjectKind | null;
  /** Folded; found anywhere in name, slug and description. */
  search: string | null;
};

export type ListedProject = Listed<ProjectSeen>;

/** Projects after a position, newest first. Each page is read from an index, at its place, however deep it is. */
export function listProjects(
  sql: Sql,
  filter: ProjectFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<ListedProject[]> {
  const { values, parts } = partsOf(filter);
  const at = `(p.created_at, p.id) < ($${values.push(after.createdAt)}::timestamptz, $${values.push(after.id)})`;
  const most = `order by created_at desc, id desc limit $${values.push(limit)}`;
  const pages = parts.map((part) => `(select p.*, ${part.isShared} as "isShared" ${part.from} and ${at} ${most})`);
  return sql.query<ListedProject>(
    `select ${projectColumns}, a.slug as "ownerSlug", p."isShared",
            ${timeText('p.created_at')} as position
       from (select * from (${pages.join(' union all ')}) both_parts ${most}) p join accounts a on a.id = p.account_id
      order by p.created_at desc, p.id desc`,
    values,
  );
}

export async function countProjects(sql: Sql, filter: ProjectFilter): Promise<number> {
  const { values, parts } = partsOf(filter);
  const counts = parts.map(({ from }) => `(select count(*) ${from})`);
  const [row] = await sql.query<{ total: number }>(`select (${counts.join(' + ')})::integer as total`, values);
  return row?.total ?? 0;
}

type Part = { from: string; isShared: boolean };

/** The account's own projects and those of others, each found its own way. Only filters that are set are in the text. */
function partsOf({ accountId, access, archived, kind, search }: ProjectFilter): { values: unknown[]; parts: Part[] } {
  const values: unknown[] = [accountId];
  const conditions = [`p.archived_at is ${archived ? 'not null' : 'null'}`];
  if (kind !== null) conditions.push(`p.kind = $${values.push(kind)}`);
  if (search !== null) conditions.push(`strpos(p.search_text, $${values.push(search)}) > 0`);
  const where = conditions.join(' and ');
  const owned = { from: `from projects p where p.account_id = $1 and ${where}`, isShared: false };
  const shared = {
    from: `from projects p where p.id in (select s.project_id from model_shares s where s.account_id = $1
             and (s.expires_at is null or s.expires_at > now())) and ${where}`,
    isShared: true,
  };
  const parts = { owned: [owned], shared: [shared], all: [owned, shared] };
  return { values, parts: parts[access] };
}
