import type { Sql } from '#db';
import { type Clock, createLastUses, joinIntervalTasks, type LastUse, type LastUses } from '#kernel';

/** Keeps when aliases were called and shares used, exact to a minute, without a write per call. */
export type ModelUsage = {
  /** Calls, by id of the alias. */
  aliases: LastUses;
  /** Calls through a share, by its id. */
  shares: LastUses;
  /** Writes what is due. After an error of the database it is written the next time. */
  flush: () => Promise<void>;
  start: () => void;
  /** Writes what is due; rejects never. */
  stop: () => Promise<void>;
};

export function createModelUsage({ sql, clock }: { sql: Sql; clock: Clock }): ModelUsage {
  const aliases = createLastUses({
    clock,
    write: (uses, spacingMs) =>
      updateLastUses(sql, { table: 'hosted_models', column: 'last_called_at' }, uses, spacingMs),
  });
  const shares = createLastUses({
    clock,
    write: (uses, spacingMs) => updateLastUses(sql, { table: 'model_shares', column: 'last_used_at' }, uses, spacingMs),
  });
  const both = [aliases, shares];
  return {
    aliases,
    shares,
    async flush() {
      await Promise.all(both.map(({ flush }) => flush()));
    },
    ...joinIntervalTasks(both),
  };
}

/**
 * Moves a time of use forward, each row at most once in `spacingMs`, whichever replica saw the use, and never beyond the time
 * of the database: the clock of a server may be wrong. Rows are locked in the order of their ids, so that two replicas never
 * wait for each other in a circle.
 */
async function updateLastUses(
  sql: Sql,
  { table, column }: { table: 'hosted_models' | 'model_shares'; column: 'last_called_at' | 'last_used_at' },
  uses: readonly LastUse[],
  spacingMs: number,
): Promise<void> {
  await sql.query(
    `with due as (
       select r.id, u.at
       from (select id, least(at, now()) as at from unnest($1::text[], $2::timestamptz[]) as u (id, at)) u
       join ${table} r on r.id = u.id
       where r.${column} is null or r.${column} <= u.at - make_interval(secs => $3::double precision / 1000)
          or r.${column} > now()
       order by r.id
       for no key update of r
     )
     update ${table} r set ${column} = due.at from due where r.id = due.id`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at), spacingMs],
  );
}
