import type { Database } from '#db';
import type { Seen } from '../chaos/clients.ts';
import { send } from './keys.ts';

export type OutcomesReport = { asked: number; charged: number; wrong: string[] };

/**
 * Asks what became of calls whose callers could not know. Where the ledger has a charge the answer must tell what it cost, where
 * it has none the answer must not.
 */
export async function askWhatBecame(
  { url, key, database }: { url: string; key: string; database: Database },
  seen: readonly Seen[],
): Promise<OutcomesReport> {
  const ids = seen.flatMap(({ result, requestId }) =>
    (result === 'unknown' || result === 'lost') && requestId !== null ? [requestId] : [],
  );
  const rows = await database.query<{ id: string }>(
    "select request_id as id from ledger where type = 'inference' and request_id = any($1::text[])",
    [ids],
  );
  const charged = new Set(rows.map(({ id }) => id));
  const wrong: string[] = [];
  for (const id of ids) {
    const said = await ask(url, key, id);
    if (said.isPaid !== charged.has(id)) wrong.push(`${id} is told as ${said.text}`);
  }
  return { asked: ids.length, charged: charged.size, wrong };
}

async function ask(url: string, key: string, id: string): Promise<{ isPaid: boolean; text: string }> {
  const response = await send(url, key, { method: 'GET', path: `/api/v1/requests/${id}` });
  const text = await response.text();
  if (response.status === 404) return { isPaid: false, text: '404' };
  // as: the contract says so.
  const { credits } = JSON.parse(text) as { credits: string | null };
  return { isPaid: credits !== null && Number(credits) !== 0, text };
}
