import type { Sql } from '#db';

/** Takes one try of every subject, or of none; seconds to wait, 0 when it was taken (migration 0008 has the function). */
export async function takeTry(
  sql: Sql,
  { subjects, limits, spanS }: { subjects: readonly Buffer[]; limits: readonly number[]; spanS: number },
): Promise<number> {
  const [row] = await sql.query<{ wait: number }>('select auth_take_try($1::bytea[], $2::integer[], $3) as wait', [
    subjects,
    limits,
    spanS,
  ]);
  if (!row) throw new Error('A function gave no row. This is a bug.');
  return row.wait;
}

/** Forgets the tries of the first subjects, and the latest one of the others. */
export async function forgetTries(
  sql: Sql,
  { all, latest }: { all: readonly Buffer[]; latest: readonly Buffer[] },
): Promise<void> {
  await sql.query(
    `with locked as (
       select subject from auth_tries where subject = any($1::bytea[] || $2::bytea[]) order by subject for update
     )
     update auth_tries t
     set tries = case when t.subject = any($1) then '{}' else trim_array(t.tries, least(1, cardinality(t.tries))) end
     from locked where t.subject = locked.subject`,
    [all, latest],
  );
}
