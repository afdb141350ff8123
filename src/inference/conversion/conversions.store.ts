import type { Sql } from '#db';

/** What calls have become in a dataset, by call; null: the dataset had an equal example already. */
export async function findConversions(
  sql: Sql,
  { datasetId, ids }: { datasetId: string; ids: readonly string[] },
): Promise<Map<string, string | null>> {
  const rows = await sql.query<{ id: string; exampleId: string | null }>(
    `select request_id as id, example_id as "exampleId" from saved_call_examples
      where dataset_id = $1 and request_id = any($2)`,
    [datasetId, ids],
  );
  return new Map(rows.map(({ id, exampleId }) => [id, exampleId]));
}

/** Fails when a call has become an example of the dataset already. */
export async function insertConversions(
  tx: Sql,
  datasetId: string,
  made: readonly { id: string; exampleId: string | null }[],
): Promise<void> {
  await tx.query(
    `insert into saved_call_examples (dataset_id, request_id, example_id)
     select $1, made.* from unnest($2::text[], $3::text[]) as made (request_id, example_id)`,
    [datasetId, made.map(({ id }) => id), made.map(({ exampleId }) => exampleId)],
  );
}
