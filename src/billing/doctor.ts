import { billingUnits, chargeWithin } from '#calls';
import type { Database } from '#db';
import { listPurchaseDiscrepancies } from './checkout/checkouts.store.ts';
import { type ChargeRow, type Finding, listChargesAfter, listDiscrepancies } from './doctor.store.ts';
import { listUsageDiscrepancies } from './usage/usage-doctor.store.ts';

export type { Finding } from './doctor.store.ts';

const pageSize = 10_000;
const mostFindings = 1_000;

/**
 * Proves the books, in one snapshot and without writing anything; an empty list is a clean bill of health. What it
 * looks for is listed in `Finding`. Each charge of a call or an index is priced again with the program's own formula.
 *
 * @returns at most about a thousand findings.
 */
export function doctor(database: Database): Promise<Finding[]> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    // It reads whole tables, which the pool's plans otherwise avoid.
    await tx.query('set local enable_seqscan = on');
    const findings = await listDiscrepancies(tx);
    for (const finding of await listUsageDiscrepancies(tx)) findings.push({ check: 'usage', ...finding });
    for (const finding of await listPurchaseDiscrepancies(tx)) findings.push({ check: 'purchase', ...finding });
    let last = { accountId: '', seq: 0n };
    while (findings.length < mostFindings) {
      const rows = await listChargesAfter(tx, last, pageSize);
      for (const row of rows) findings.push(...wrongIn(row));
      const end = rows.at(-1);
      if (!end) break;
      last = end;
    }
    return findings;
  });
}

function wrongIn(row: ChargeRow): Finding[] {
  const { activeMs, units, rateMicroPerMinute, heldMicro, chargedMicro } = row;
  const expected = chargeWithin(heldMicro, { activeMs, rateMicroPerMinute });
  if (chargedMicro === expected && units === billingUnits(activeMs)) return [];
  const message =
    `charged ${chargedMicro} micro-credits instead of ${expected} for ${activeMs} ms in ${units} units ` +
    `at ${rateMicroPerMinute} a minute, ${heldMicro} held`;
  return [{ check: 'charge', accountId: row.accountId, subject: row.requestId, message }];
}
