import { setTimeout as sleep } from 'node:timers/promises';
import { callModel, inTurn, type ProtocolRow, textRows } from '#test/protocols.ts';

export type SteadfastReport = { asked: number; answered: number; repeats: number };

type Access = { url: string; key: string; callers: number; remoteModel: string };

const callMs = 30_000;
const patienceMs = 120_000;

/**
 * Callers who want each answer exactly once: each call has an `Idempotency-Key` and is sent again, whatever came of it, until it
 * is answered. To be used with an API key of their own, whose charges then must be as many as their answers.
 */
export async function callUntilAnswered(
  { url, key, callers, remoteModel }: Access,
  signal: AbortSignal,
): Promise<SteadfastReport> {
  const report = { asked: 0, answered: 0, repeats: 0 };
  const call = async (row: ProtocolRow, model: string, idempotencyKey: string) => {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (await isAnswered({ url, key, idempotencyKey, row, model })) {
        report.answered += 1;
        return;
      }
      report.repeats += 1;
      await sleep(250);
    }
  };
  const caller = async (name: number) => {
    for (let n = 0; !signal.aborted; n += 1) {
      report.asked += 1;
      const row = inTurn(textRows, n >> 1);
      await call(row, n % 2 === 0 ? row.project : remoteModel, `steadfast-${name}-${n}`);
      await sleep(100);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
  return report;
}

type Call = { url: string; key: string; idempotencyKey: string; row: ProtocolRow; model: string };

async function isAnswered({ url, key, model, idempotencyKey, row }: Call): Promise<boolean> {
  try {
    const headers = { 'idempotency-key': idempotencyKey };
    const caller = { origin: url, owner: 'local', key, headers, signal: AbortSignal.timeout(callMs) };
    const response = await callModel(row, caller, { model, text: `Hello! ${idempotencyKey}`, maxTokens: 20 });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}
