import type { Sql } from '#db';

export type SavedAttempt = { messageId: string; attempt: number; datasetId: string };

export async function findSavedExample(sql: Sql, { messageId, attempt, datasetId }: SavedAttempt) {
  const [row] = await sql.query<{ exampleId: string }>(
    `select example_id as "exampleId" from chat_examples where message_id = $1 and attempt = $2 and dataset_id = $3`,
    [messageId, attempt, datasetId],
  );
  return row?.exampleId ?? null;
}

/** In place of one that is gone, if there was one. */
export async function insertSavedExample(
  tx: Sql,
  { messageId, attempt, datasetId }: SavedAttempt,
  exampleId: string,
): Promise<void> {
  await tx.query(
    `insert into chat_examples (message_id, attempt, dataset_id, example_id) values ($1, $2, $3, $4)
     on conflict (message_id, attempt, dataset_id) do update set example_id = excluded.example_id`,
    [messageId, attempt, datasetId, exampleId],
  );
}
