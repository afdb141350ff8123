import { performance } from 'node:perf_hooks';
import { type Calls, createCalls } from '#calls';
import { createAdmission } from '#inference';
import { newId, systemClock } from '#kernel';
import { createKeyUsage } from '#keys';
import { bearer } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { startBenchDatabase } from './database.ts';
import { type GrownAccount, seedCalls } from './growth-seed.ts';
import { median } from './load.ts';
import type { Row } from './table.ts';

const asks = 80;
const warmUps = 10;
const usualMonths = 12;
const manyMonths = 36;

/**
 * What one thing costs among ever more calls, as a ratio to the fewest: a database for each number of them, over a year,
 * asked in turn. Then the same with three years of months, which is what a month itself costs.
 */
export async function benchGrowth(sizes: readonly number[]): Promise<Row[]> {
  const places: Place[] = [];
  try {
    for (const rows of sizes) places.push(await prepare({ rows, months: usualMonths }));
    const [fewest = 0] = sizes;
    places.push(await prepare({ rows: fewest, months: manyMonths }));
    const times = new Map<string, number[]>();
    for (let n = -warmUps; n < asks; n++)
      for (const [index, place] of places.entries())
        for (const [name, ask] of Object.entries(place.questions)) {
          const began = performance.now();
          await ask();
          if (n >= 0) noteTime(times, `${name} ${index}`, performance.now() - began);
        }
    return Object.keys(places[0]?.questions ?? {}).flatMap((name) => {
      const [base = 0, ...others] = places.map((_, index) => median(times.get(`${name} ${index}`) ?? []));
      return others.map((ms, index): Row => {
        const rows = sizes[index + 1];
        return {
          name: rows
            ? `${name}, ${rows.toLocaleString('en')} calls / ${fewest.toLocaleString('en')}`
            : `${name}, ${manyMonths} months / ${usualMonths}`,
          ratio: ms / base,
          goal: rows ? 1.3 : null,
          sense: 'at most',
          figures: `${ms.toFixed(2)} ms against ${base.toFixed(2)} ms`,
        };
      });
    });
  } finally {
    for (const place of places) await place.drop();
  }
}

type Place = Awaited<ReturnType<typeof prepare>>;

async function prepare(scale: { rows: number; months: number }) {
  const { database, drop } = await startBenchDatabase();
  const began = performance.now();
  const big = await seedCalls(database, scale);
  console.error(`${scale.rows} calls in ${scale.months} months: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const app = await startApp(database, { watched: false });
  const calls = createCalls({ database, serverId: newId('ins'), clock: systemClock });
  const admit = createAdmission({
    sql: database,
    keyUsage: createKeyUsage({ sql: database, clock: systemClock }),
  });
  const { slug: ownerSlug, project: projectSlug, key } = big;
  const page = (path: string) => async () => {
    const response = await fetch(app.origin + path, { headers: bearer(key) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  return {
    questions: {
      admission: async () => {
        await admit({ authorization: `Bearer ${key}` }, { ownerSlug, projectSlug, model: 'chat' });
      },
      'begin and end of a call': () => makeCall(calls, big),
      'first page of usage': page('/api/v1/credits/usage'),
      'usage of a key': page(`/api/v1/credits/usage?key_id=${big.keyId}`),
      'usage of a rare model': page('/api/v1/credits/usage?model=rare'),
      'request looked up': page(`/api/v1/requests/${big.requestId}`),
      dashboard: page('/api/v1/dashboard'),
    },
    async drop() {
      await calls.stop();
      await app.stop();
      await drop();
    },
  };
}

async function makeCall(calls: Calls, { accountId, keyId }: GrownAccount): Promise<void> {
  const requestId = newId('req');
  const project = { id: 'prj_1', owner: 'owner', slug: 'project' };
  const call = calls.open({
    id: requestId,
    operation: 'chat.create',
    target: { accountId, project, model: 'chat', key: null },
  });
  await call.begin({ keyId, heldMicro: 1_000n, limits: null, idempotency: null });
  await call.end({
    type: 'inference',
    requestId,
    keyId,
    keyName: 'A key',
    projectId: 'prj_1',
    modelRequested: 'chat',
    modelServed: 'fanfold-tiny-chat',
    modelRevision: 1,
    activeMs: 250.5,
    rateMicroPerMinute: 60_000n,
    priceVersion: '2026-11',
    heldMicro: 1_000n,
    outcome: 'succeeded',
    usage: { promptTokens: 50, completionTokens: 20 },
  });
  await call.close();
}

function noteTime(times: Map<string, number[]>, name: string, ms: number): void {
  const known = times.get(name);
  if (known) known.push(ms);
  else times.set(name, [ms]);
}
