import { type Sql, sqlState } from '#db';

/** A project that nobody sees any more, while what is stored in it is removed. */
export type DeletedProject = { id: string; accountId: string };

/** Longer than any request that began before takes for its changes, other than calls of models. */
const waitMs = 120_000;
/** A server that has not renewed its claim for so long is dead. */
const claimMs = 60_000;

/** From the end of the transaction on, the project is not in `projects`, and its address is free. */
export async function markDeleted(tx: Sql, projectId: string): Promise<void> {
  await tx.query(
    `update all_projects set deleted_at = now(), removal_due_at = now() + make_interval(secs => $2 / 1000.0) where id = $1`,
    [projectId, waitMs],
    { name: 'projects.mark_deleted' },
  );
}

/** Archives the projects of an account, for nobody but it to see. Waits for changes in them that are in flight; none begins later. */
export async function archiveProjectsOf(tx: Sql, accountId: string): Promise<void> {
  await tx.query(
    `with locked as (
       select id from projects where account_id = $1 order by id for no key update
     )
     update projects p set archived_at = coalesce(p.archived_at, now()), visibility = 'private', updated_at = now()
       from locked where p.id = locked.id`,
    [accountId],
  );
}

/** Takes up the removal that is due for longest; null: there is none, or others are at it. */
export async function claimRemoval(sql: Sql): Promise<DeletedProject | null> {
  const [row] = await sql.query<DeletedProject>(
    `update all_projects set removal_due_at = now() + make_interval(secs => $1 / 1000.0)
      where id = (select id from all_projects where removal_due_at <= now()
                   order by removal_due_at limit 1 for update skip locked)
     returning id, account_id as "accountId"`,
    [claimMs],
    { name: 'projects.claim_removal' },
  );
  return row ?? null;
}

export async function renewClaim(sql: Sql, projectId: string): Promise<void> {
  await sql.query(
    `update all_projects set removal_due_at = now() + make_interval(secs => $2 / 1000.0)
      where id = $1 and removal_due_at is not null`,
    [projectId, claimMs],
    { name: 'projects.renew_claim' },
  );
}

/** Lets others have their turn first. */
export async function releaseClaim(sql: Sql, projectId: string): Promise<void> {
  await sql.query('update all_projects set removal_due_at = now() where id = $1 and removal_due_at is not null', [
    projectId,
  ]);
}

/** Removes the row of a deleted project, but for its address. False: something is stored in it still. */
export async function removeProjectRow(sql: Sql, projectId: string): Promise<boolean> {
  try {
    await sql.query(
      `with gone as (
         delete from all_projects where id = $1 and deleted_at is not null returning id, account_id, slug
       )
       insert into gone_projects (id, account_id, slug) select id, account_id, slug from gone`,
      [projectId],
    );
    return true;
  } catch (error) {
    if (sqlState(error) === '23503') return false;
    throw error;
  }
}
