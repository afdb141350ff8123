import { doctor, type Finding } from '#billing';
import type { Database } from '#db';
import type { Seen } from './clients.ts';

/** What the ledger says about what the clients saw. */
export type Audit = {
  successes: number;
  failures: number;
  lost: number;
  /** Successes without a charge: must be 0. */
  unpaid: number;
  /** Failures with a charge: must be 0. */
  wronglyPaid: number;
  /** Charges beyond the first of one request: must be 0. */
  double: number;
  /** Charges whose answer no client saw complete: at most what was in flight at the kills. */
  unseen: number;
  /** 401 while the key was good: must be 0. */
  rejectedKeys: number;
  findings: Finding[];
};

/** Compares the ledger with what the clients saw. */
export async function auditBooks(database: Database, seen: readonly Seen[]): Promise<Audit> {
  const rows = await database.query<{ request_id: string; charges: bigint }>(
    "select request_id, count(*) as charges from ledger where type = 'inference' group by request_id",
  );
  const charges = new Map(rows.map(({ request_id, charges }) => [request_id, Number(charges)]));
  const of = (result: Seen['result']) => seen.filter((call) => call.result === result);
  const charged = ({ requestId }: Seen) => requestId !== null && charges.has(requestId);
  const successes = of('success');
  const successIds = new Set(successes.map(({ requestId }) => requestId));
  return {
    successes: successes.length,
    failures: of('failure').length,
    lost: of('lost').length,
    unpaid: successes.filter((call) => !charged(call)).length,
    wronglyPaid: of('failure').filter(charged).length,
    double: [...charges.values()].filter((count) => count > 1).length,
    unseen: [...charges.keys()].filter((id) => !successIds.has(id)).length,
    rejectedKeys: seen.filter(({ status }) => status === 401).length,
    findings: await doctor(database),
  };
}
