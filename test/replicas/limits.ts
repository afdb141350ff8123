import { callModel, inTurn, protocolRows } from '#test/protocols.ts';
import { send } from './keys.ts';

/** How many of many simultaneous calls with one key came in, of the calls that a minute allows. */
export type LimitReport = { allowed: number; passed: number; refused: number; other: number; stillRunning: number };

const allowed = 20;
const calls = 60;
const callMs = 50_000;

/** Calls through the balancer with a key that all replicas must count together. To be measured while nothing breaks. */
export async function measureLimit({ url, key }: { url: string; key: string }): Promise<LimitReport> {
  const limited = await limitedKey(url, key);
  const statuses = await Promise.all(Array.from({ length: calls }, (_, n) => call(url, limited.key, n)));
  const count = (status: number) => statuses.filter((each) => each === status).length;
  const view = await read(await send(url, key, { method: 'GET', path: `/api/v1/keys/${limited.id}/limits` }));
  const { running } = view.used as { running: number };
  const [passed, refused] = [count(200), count(429)];
  return { allowed, passed, refused, other: calls - passed - refused, stillRunning: running };
}

async function limitedKey(url: string, key: string): Promise<{ id: string; key: string }> {
  const made = await read(await send(url, key, { method: 'POST', path: '/api/v1/keys', body: { name: 'Limited' } }));
  const id = String(made.id);
  const body = { requests_per_minute: allowed };
  await read(await send(url, key, { method: 'PATCH', path: `/api/v1/keys/${id}/limits`, body }));
  return { id, key: String(made.key) };
}

async function read(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text();
  if (!response.ok) throw new Error(`A key cannot be set up: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** The protocols in turn, through one key. */
async function call(url: string, key: string, n: number): Promise<number> {
  const row = inTurn(protocolRows, n);
  const caller = { origin: url, owner: 'local', key, signal: AbortSignal.timeout(callMs) };
  const response = await callModel(row, caller, { maxTokens: 1 });
  await response.text();
  return response.status;
}
