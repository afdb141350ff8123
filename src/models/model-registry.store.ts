import { type Sql, timeText } from '#db';
import type { CountedRows, ListPosition } from '#kernel';
import type { ProjectKind } from '#projects';
import { type HostedModel, type HostedState, hostedColumns } from './hosted-models.store.ts';
import type { ModelKind } from './model-kinds.ts';

type Access = 'owned' | 'shared' | 'public';

export type RegistryRow = HostedModel & {
  access: Access;
  kind: ModelKind;
  projectSlug: string;
  ownerId: string;
  ownerSlug: string;
  isArchived: boolean;
  position: string;
};

/** null: does not matter. `q` is folded text. */
export type RegistryFilter = {
  accountId: string;
  access: Access | null;
  kind: ModelKind | null;
  state: HostedState | null;
  project: { ownerSlug: string; slug: string } | null;
  q: string | null;
};

/** Base models that are rerankers, which embedding projects host beside embedding models. */
type Rerankers = { rerankers: readonly string[] };

/** `$8`: the ids of the rerankers. */
const kindColumn = `case when h.base_model_id = any($8::text[]) then 'reranker' else p.kind end`;

const isValid = '(s.expires_at is null or s.expires_at > now())';

/** Models of others show only while they can be called, as in the compatible list. */
const isOpen = `p.archived_at is null and h.state in ('active', 'warming')`;

/** One row by its key: `limit 1` keeps it an index probe, whatever the planner believes about the tables. */
const probe = (name: string, table: string, condition: string) =>
  `cross join lateral (select * from ${table} where ${condition} limit 1) ${name}`;

const projectOf = probe('p', 'projects', 'id = h.project_id');

/**
 * Where models come from, by access; `$1` is the account. A model that is shared and public is shown as shared. Public
 * models are for whoever sees their project: also through a share of another model of it.
 */
const sources: Record<Access, string> = {
  owned: `projects p join hosted_models h on h.project_id = p.id where p.account_id = $1`,
  shared: `model_shares s ${probe('h', 'hosted_models', 'id = s.hosted_model_id')} ${projectOf}
    where s.account_id = $1 and ${isValid} and h.visibility in ('shared', 'public') and ${isOpen}`,
  public: `hosted_models h ${projectOf}
    where h.visibility = 'public' and p.account_id <> $1 and ${isOpen}
      and (p.visibility = 'public'
           or exists (select from model_shares s where s.account_id = $1 and s.project_id = p.id and ${isValid}))
      and not exists (select from model_shares s where s.hosted_model_id = h.id and s.account_id = $1 and ${isValid})`,
};

const filteredProject = `(
      select filter.id from projects filter join accounts owner on owner.id = filter.account_id
       where owner.slug = $5 and filter.slug = $6)`;

const matches = (access: Access) => `($2::text is null or $2 = '${access}')
      and ($3::text is null or ${kindColumn} = $3) and ($4::text is null or h.state = $4)
      and ($5::text is null or p.id = ${filteredProject})
      and ($7::text is null or position($7 in h.search_text) > 0)`;

/** The newest of a source after the position: what is shown of them is read for one page only. */
const newestOfSource = (access: Access) => `(
    select h.id, h.created_at, '${access}' as access
      from ${sources[access]} and ${matches(access)}
       and h.created_at <= $9 and (h.created_at < $9 or h.id collate "C" < $10)
     order by h.created_at desc, h.id desc limit $11)`;

const countOfSource = (access: Access) => `(select count(*) from ${sources[access]} and ${matches(access)})`;

const everyAccess: readonly Access[] = ['owned', 'shared', 'public'];

const pageStatement = `
  select ${hostedColumns}, page.access, ${kindColumn} as kind, p.slug as "projectSlug", o.id as "ownerId", o.slug as "ownerSlug",
         p.archived_at is not null as "isArchived",
         ${timeText('h.created_at')} as position
    from (${everyAccess.map(newestOfSource).join(' union all ')} order by created_at desc, id desc limit $11) page
   ${probe('h', 'hosted_models', 'id = page.id')} ${projectOf} ${probe('o', 'accounts', 'id = p.account_id')}
   order by page.created_at desc, page.id desc`;
const countStatement = `select (${everyAccess.map(countOfSource).join(' + ')})::integer as total`;

export async function listRegistryRows(
  sql: Sql,
  filter: RegistryFilter & Rerankers,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<CountedRows<RegistryRow>> {
  const { accountId, access, kind, state, project, q, rerankers } = filter;
  const values = [accountId, access, kind, state, project?.ownerSlug ?? null, project?.slug ?? null, q, rerankers];
  const [rows, [count]] = await Promise.all([
    sql.query<RegistryRow>(pageStatement, [...values, after.createdAt, after.id, limit], {
      name: 'models.registry_page',
    }),
    sql.query<{ total: number }>(countStatement, values, { name: 'models.registry_count' }),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}

/** The oldest open project of an account, by kind: where it can call base models. */
export async function findHomes(sql: Sql, accountId: string): Promise<ReadonlyMap<ProjectKind, { slug: string }>> {
  const rows = await sql.query<{ kind: ProjectKind; slug: string }>(
    `select kind.kind, p.slug from unnest(array['text', 'embedding']) as kind (kind)
       join lateral (
         select slug from projects where account_id = $1 and kind = kind.kind and archived_at is null
          order by created_at, id limit 1) p on true`,
    [accountId],
  );
  return new Map(rows.map(({ kind, slug }) => [kind, { slug }]));
}
