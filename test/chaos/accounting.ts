import { doctor, type Finding } from '#billing';
import type { Database } from '#db';
import type { Seen } from './clients.ts';

/** What the ledger says about what the clients saw. */
export type Audit = {
  successes: number;
  failures: number;
  /** Calls of which nobody knows whether they were served; they may have a charge. */
  unknown: number;
  unknownPaid: number;
  lost: number;
  /** How often each error was told. */
  codes: Record<string, number>;
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
    unknown: of('unknown').length,
    unknownPaid: of('unknown').filter(charged).length,
    lost: of('lost').length,
    codes: countCodes(seen),
    unpaid: successes.filter((call) => !charged(call)).length,
    wronglyPaid: of('failure').filter(charged).length,
    double: [...charges.values()].filter((count) => count > 1).length,
    unseen: [...charges.keys()].filter((id) => !successIds.has(id)).length,
    rejectedKeys: seen.filter(({ status }) => status === 401).length,
    findings: await doctor(database),
  };
}

function countCodes(seen: readonly Seen[]): Record<string, number> {
  const codes: Record<string, number> = {};
  for (const { code, status, result } of seen) {
    if (result === 'success' || result === 'lost') continue;
    const name = code ?? `status ${status}`;
    codes[name] = (codes[name] ?? 0) + 1;
  }
  return codes;
}
