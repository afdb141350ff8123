import type { Sql } from '#db';

/** Remembers a charge until it is paid. `charge` is JSON text. */
export async function insertCharge(tx: Sql, requestId: string, charge: string): Promise<void> {
  await tx.query('insert into chat_charges (request_id, charge) values ($1, $2)', [requestId, charge]);
}

export async function deleteCharge(sql: Sql, requestId: string): Promise<void> {
  await sql.query('delete from chat_charges where request_id = $1', [requestId]);
}

/** Charges that nobody has paid for so long that their process must be gone. */
export function listOldCharges(sql: Sql, olderThanS: number): Promise<{ requestId: string; charge: unknown }[]> {
  return sql.query(
    `select request_id as "requestId", charge from chat_charges
      where created_at < now() - make_interval(secs => $1) order by created_at limit 100`,
    [olderThanS],
  );
}
