import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createUsageSums } from '#billing';
import { seedProject } from '#test/accounts.ts';
import { randomOfRun } from '#test/random.ts';
import { type Call, dayMs, hourMs, lowMicro, nowMs, openDashboard } from './dashboard.fixture.ts';
import { windowNames } from './window.ts';

const { integer: randomInt } = randomOfRun();
const { database, close, someone } = await openDashboard();
after(close);

const sumUp = () => createUsageSums({ database: database, lowMicro }).catchUp();

test('the numbers are those of the ledger and of the failures, whatever of it is summed up', async () => {
  const { read, call, fail } = await someone();
  const calls: Required<Pick<Call, 'agoMs' | 'micro' | 'activeMs' | 'model'>>[] = [];
  const failures: number[] = [];
  const timestamp = () =>
    [0, 1, 30 * 60_000, hourMs, 13.5 * hourMs, dayMs, 29 * dayMs, randomInt(40 * dayMs)][randomInt(8)] ?? 0;
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 25; i++) {
      const made = {
        agoMs: timestamp(),
        micro: BigInt(randomInt(900)),
        activeMs: randomInt(5_000),
        model: `m${randomInt(7)}`,
      };
      calls.push(made);
      await call(made);
    }
    for (let i = 0; i < 10; i++) {
      failures.push(timestamp());
      await fail(failures.at(-1) ?? 0);
    }
    await fail(timestamp(), 'canceled');
    for (const window of windowNames) {
      const shown = await read(window);
      const stepMs = window === '24h' ? hourMs : dayMs;
      const inPoint = (agoMs: number, at: string) => {
        const time = nowMs - agoMs;
        return time >= Date.parse(at) && time < Date.parse(at) + stepMs;
      };
      const first = Date.parse(shown.usage.series[0].at);
      const inWindow = calls.filter(({ agoMs }) => nowMs - agoMs >= first);
      const sum = (some: typeof calls) => some.reduce((total, { micro }) => total + micro, 0n);
      const credits = (micro: bigint) => `${micro / 1_000_000n}.${(micro % 1_000_000n).toString().padStart(6, '0')}`;
      for (const { at, requests, errors, credits: spent } of shown.usage.series) {
        const charged = calls.filter(({ agoMs }) => inPoint(agoMs, at));
        const failed = failures.filter((agoMs) => inPoint(agoMs, at));
        assert.deepEqual(
          [requests, errors, spent],
          [charged.length + failed.length, failed.length, credits(sum(charged))],
          `${window} ${at}`,
        );
      }
      assert.equal(shown.usage.credits, credits(sum(inWindow)));
      assert.equal(shown.credits.spent_window, shown.usage.credits);
      assert.equal(
        shown.usage.active_ms,
        inWindow.reduce((total, { activeMs }) => total + activeMs, 0),
      );
      const cost = new Map<string, bigint>();
      for (const { model, micro } of inWindow) cost.set(model, (cost.get(model) ?? 0n) + micro);
      const dearest = [...cost.values()].sort((a, b) => Number(b - a)).slice(0, 5);
      assert.deepEqual(
        shown.models.top.map((top: { credits: string }) => top.credits),
        dearest.map(credits),
      );
      const times = inWindow.map(({ activeMs }) => activeMs).sort((a, b) => a - b);
      const middle = (times.length - 1) / 2;
      const median = ((times[Math.floor(middle)] ?? 0) + (times[Math.ceil(middle)] ?? 0)) / 2;
      assert.equal(shown.usage.p50_ms, Math.round(median));
    }
    if (round !== 1) await sumUp();
  }
});

test('nobody sees anything of another account in his numbers', async () => {
  const [mine, other] = [await someone(), await someone()];
  await other.call({ agoMs: 0 });
  await other.fail(0);
  await seedProject(database, { accountId: other.accountId });
  const { usage, projects, models, getting_started } = await mine.read();
  assert.deepEqual([usage.requests, projects.total, models.top.length, getting_started.first_call], [0, 0, 0, false]);
});

test('what is left at the present pace: the available credits by what a day costs', async () => {
  const { accountId, read, call } = await someone({ balance: 10_000_000n });
  await database.query('update accounts set held_micro = 1000000 where id = $1', [accountId]);
  await call({ agoMs: 2 * dayMs, micro: 650_000n }, { agoMs: 0, micro: 650_000n, type: 'inference' });
  const { credits } = await read();
  // 1.3 credits in 6.5625 days.
  assert.deepEqual(credits, {
    available: '9.000000',
    reserved: '1.000000',
    spent_window: '1.300000',
    projected_days_left: Math.floor(9 / (1.3 / 6.5625)),
  });
});
