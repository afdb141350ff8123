import type { Sql } from '#db';

/** The vectors of some documents in a row, float32, little-endian. */
export type VectorRow = { firstPosition: number; count: number; vectors: Buffer };

/** Rows of one statement: at most some megabytes. */
const rowsAtOnce = 64;

export function listVectors(
  sql: Sql,
  { indexId, fromPosition }: { indexId: string; fromPosition: number },
): Promise<VectorRow[]> {
  return sql.query<VectorRow>(
    `select first_position as "firstPosition", count, vectors from index_vectors
      where index_id = $1 and first_position >= $2 order by first_position limit $3`,
    [indexId, fromPosition, rowsAtOnce],
    { name: 'indexes.list_vectors' },
  );
}
