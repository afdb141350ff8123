import type { Sql } from '#db';
import { type Project, projectColumns } from './projects.store.ts';

export type ProjectSeen = Project & {
  ownerSlug: string;
  /** The caller may call at least one model of it that its owner shared with him. */
  isShared: boolean;
};

type ProjectQuery = { ownerSlug: string; projectSlug: string; accountId: string };

const statement = `select ${projectColumns}, a.slug as "ownerSlug",
            exists (select from model_shares s where s.account_id = $3 and s.project_id = p.id
                       and (s.expires_at is null or s.expires_at > now())) as "isShared"
       from accounts a join projects p on p.account_id = a.id
      where a.slug = $1 and p.slug = $2`;

/** The project at `{owner}/{project}` and what one account has to do with it, in one statement. */
export async function findProjectFor(sql: Sql, query: ProjectQuery): Promise<ProjectSeen | null> {
  const [row] = await sql.query<ProjectSeen>(statement, valuesOf(query), { name: 'projects.find_for' });
  return row ?? null;
}

/** The same, after changes of the project that are in flight; until the transaction ends it stays as it is. */
export async function findProjectForChange(tx: Sql, query: ProjectQuery): Promise<ProjectSeen | null> {
  const text = `${statement} for share of p`;
  const [row] = await tx.query<ProjectSeen>(text, valuesOf(query), { name: 'projects.find_for_change' });
  return row ?? null;
}

/** The projects of an account that are not deleted, as their owner sees them. */
export function listProjectsOf(sql: Sql, accountId: string): Promise<ProjectSeen[]> {
  return sql.query<ProjectSeen>(
    `select ${projectColumns}, a.slug as "ownerSlug", false as "isShared"
       from accounts a join projects p on p.account_id = a.id where a.id = $1 order by p.id`,
    [accountId],
  );
}

const valuesOf = ({ ownerSlug, projectSlug, accountId }: ProjectQuery) => [ownerSlug, projectSlug, accountId];
