import type { Sql } from '#db';
import type {
  ImportError,
  ImportProfile,
  ImportRecord,
  ImportResult,
  ImportState,
  RowCounts,
  SampleRow,
} from './import-record.ts';
import { importColumns, storedJson } from './imports.store.ts';
import type { WireMapping } from './mapping/mapping.ts';

export type RunningImport = ImportRecord & { accountId: string; ownerSlug: string; projectSlug: string };

/** Takes the lease of an import for as long as the transaction lives; false: somebody else works at it. */
export async function takeLease(tx: Sql, importId: string): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('import ' || $1, 0)) as taken`,
    [importId],
  );
  return row?.taken ?? false;
}

/** Begins an attempt at the work of the present state; null: there is none. */
export async function beginAttempt(sql: Sql, importId: string): Promise<RunningImport | null> {
  const begun = await sql.query(
    `update imports set state = case state when 'uploaded' then 'profiling' else state end, attempts = attempts + 1,
            updated_at = now()
      where id = $1 and state in ('uploaded', 'profiling', 'importing', 'canceling') returning 1`,
    [importId],
  );
  return begun.length === 0 ? null : findRunning(sql, importId);
}

export async function findRunning(sql: Sql, importId: string): Promise<RunningImport | null> {
  const [row] = await sql.query<RunningImport>(
    `select ${importColumns}, a.id as "accountId", a.slug as "ownerSlug", p.slug as "projectSlug"
       from imports i join projects p on p.id = i.project_id join accounts a on a.id = p.account_id where i.id = $1`,
    [importId],
  );
  return row ?? null;
}

/** An attempt that a stopping server gave up does not count, nor one whose worker lived to report why it failed. */
export async function returnAttempt(sql: Sql, importId: string): Promise<void> {
  await sql.query('update imports set attempts = greatest(attempts - 1, 0) where id = $1', [importId]);
}

export type ImportProgress = { phase: string; rowsDone: number; percent: number | null };

/** Stores progress; returns the state, so that a worker notices that the import was canceled or another profile requested. */
export async function updateProgress(
  sql: Sql,
  run: { importId: string; profileNumber: number },
  progress: ImportProgress,
): Promise<{ state: ImportState; profileNumber: number } | null> {
  const [row] = await sql.query<{ state: ImportState; profileNumber: number }>(
    `update imports set phase = case when profile_number = $2 then $3 else phase end,
            rows_done = case when profile_number = $2 then $4::bigint else rows_done end,
            percent = case when profile_number = $2 then $5::real else percent end
      where id = $1 and state in ('profiling', 'importing') returning state, profile_number as "profileNumber"`,
    [run.importId, run.profileNumber, progress.phase, progress.rowsDone, progress.percent],
  );
  return row ?? null;
}

/** Records where the objects of a profile will be, before there are any. Those of an earlier profile are left to the sweep. */
export async function recordObjects(
  sql: Sql,
  importId: string,
  { issuesKey, tokensKey }: { issuesKey: string; tokensKey: string },
): Promise<void> {
  await sql.query(
    `with noted as (update imports set issues_key = $2, tokens_key = $3 where id = $1 returning id)
     insert into import_parts (key, import_id, first_byte)
     select object.key, noted.id, 0 from noted, unnest(array[$2, $3]) as object (key)
         on conflict (key) do nothing`,
    [importId, issuesKey, tokensKey],
  );
}

export type ProfileResult = {
  profile: ImportProfile;
  counts: RowCounts;
  sample: SampleRow[];
  mapping: WireMapping | null;
};

export async function endProfiling(
  tx: Sql,
  run: { importId: string; profileNumber: number },
  { profile, counts, sample, mapping }: ProfileResult,
): Promise<boolean> {
  const rows = await tx.query(
    `update imports set state = 'ready', profile = $3, sample = $4, mapping = $5, counts = $6, phase = 'ready',
            rows_done = $7::bigint, rows_total = $7::bigint, percent = 100, expires_at = now() + interval '7 days', updated_at = now()
      where id = $1 and state = 'profiling' and profile_number = $2 returning 1`,
    [
      run.importId,
      run.profileNumber,
      storedJson(profile),
      storedJson(sample),
      mapping && storedJson(mapping),
      storedJson(counts),
      counts.rows,
    ],
  );
  return rows.length > 0;
}

/** Completes an import in the transaction that has written its examples. False: it was canceled meanwhile. */
export async function endImporting(
  tx: Sql,
  importId: string,
  { datasetId, counts, result }: { datasetId: string; counts: RowCounts; result: ImportResult },
): Promise<boolean> {
  const rows = await tx.query(
    `update imports set state = 'completed', dataset_id = $2, counts = $3, result = $4, phase = 'completed',
            rows_done = coalesce(rows_total, rows_done), percent = 100, finished_at = now(), updated_at = now()
      where id = $1 and state = 'importing' returning 1`,
    [importId, datasetId, storedJson(counts), storedJson(result)],
  );
  return rows.length > 0;
}

/** Ends an import that cannot be done. False: it is over already. */
export async function endAsFailed(
  tx: Sql,
  run: { importId: string; profileNumber: number | null },
  error: ImportError,
): Promise<boolean> {
  const rows = await tx.query(
    `update imports set state = 'failed', error = $3, phase = null, finished_at = now(), expires_at = null, updated_at = now()
      where id = $1 and state in ('uploaded', 'profiling', 'importing') and ($2::integer is null or profile_number = $2) returning 1`,
    [run.importId, run.profileNumber, storedJson(error)],
  );
  return rows.length > 0;
}

/** Ends what was being canceled; by now nothing is written. */
export async function endCanceling(tx: Sql, importId: string): Promise<boolean> {
  const rows = await tx.query(
    `update imports set state = 'canceled', phase = null, finished_at = now(), updated_at = now()
      where id = $1 and state = 'canceling' returning 1`,
    [importId],
  );
  return rows.length > 0;
}

/** Imports that wait for a worker and have none: nobody holds their lease. It is taken for this statement only. */
export async function listAbandoned(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `with waiting as materialized (
       select id from imports where state in ('uploaded', 'profiling', 'importing', 'canceling')
     )
     select id from waiting where pg_try_advisory_xact_lock(hashtextextended('import ' || id, 0)) order by id`,
  );
  return rows.map(({ id }) => id);
}

export async function accountOfImport(sql: Sql, importId: string): Promise<string | null> {
  const [row] = await sql.query<{ accountId: string }>(
    'select p.account_id as "accountId" from imports i join projects p on p.id = i.project_id where i.id = $1',
    [importId],
  );
  return row?.accountId ?? null;
}
