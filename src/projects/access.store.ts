import type { Sql } from '#db';
import { type Project, projectColumns } from './projects.store.ts';

export type ProjectSeen = Project & {
  ownerSlug: string;
  /** The caller may call at least one model of it that its owner shared with him. */
  isShared: boolean;
};

/** The project at `{owner}/{project}` and what one account has to do with it, in one statement. */
export async function findProjectFor(
  sql: Sql,
  { ownerSlug, projectSlug, accountId }: { ownerSlug: string; projectSlug: string; accountId: string },
): Promise<ProjectSeen | null> {
  const [row] = await sql.query<ProjectSeen>(
    `select ${projectColumns}, a.slug as "ownerSlug",
            exists (select from model_shares s where s.account_id = $3 and s.project_id = p.id
                       and (s.expires_at is null or s.expires_at > now())) as "isShared"
       from accounts a join projects p on p.account_id = a.id
      where a.slug = $1 and p.slug = $2`,
    [ownerSlug, projectSlug, accountId],
    { name: 'projects.find_for' },
  );
  return row ?? null;
}
