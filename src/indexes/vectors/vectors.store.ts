import type { Sql } from '#db';

/** The vectors of some documents in a row, float32, little-endian. */
export type VectorRow = { firstPlace: number; count: number; vectors: Buffer };

/** Rows of one statement: at most some megabytes. */
const rowsAtOnce = 64;

export function listVectors(
  sql: Sql,
  { indexId, fromPlace }: { indexId: string; fromPlace: number },
): Promise<VectorRow[]> {
  return sql.query<VectorRow>(
    `select first_place as "firstPlace", count, vectors from index_vectors
      where index_id = $1 and first_place >= $2 order by first_place limit $3`,
    [indexId, fromPlace, rowsAtOnce],
    { name: 'indexes.list_vectors' },
  );
}
