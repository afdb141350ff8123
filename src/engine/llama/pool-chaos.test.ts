import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { seededRandom } from '#test/random.ts';
import { ask, createScriptedEngine, isAlive, readyPids, until } from '#test/scripted-engine.ts';

test('through random kills, crashes, departures and unloads every request ends once, and then all places are free', async (t) => {
  const random = seededRandom(20_261_120);
  const scripted = createScriptedEngine({
    settings: { sequences: 2, maxQueue: 6, idleUnloadMs: 60, warmWaitMs: 3_000, memoryLimitBytes: 300e6 },
  });
  t.after(() => scripted.close());
  const { engine, install, log } = scripted;
  const ids = ['a', 'b', 'c'];
  for (const id of ids) install(id, { loadMs: 10 });
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);

  const caller = async () => {
    for (let call = 0; call < 25; call++) {
      const leaving = new AbortController();
      if (random.chance(0.2)) setTimeout(() => leaving.abort(new Error('left')), random.integer(20));
      const id = random.pick(ids);
      const crash = random.chance(0.04) ? { crashAt: random.integer(3) } : {};
      const behaviour = { deltas: 1 + random.integer(8), stepMs: 1 + random.integer(3), ...crash };
      try {
        count((await ask(engine, id, { behaviour, signal: leaving.signal })).reason);
      } catch (error) {
        if (error instanceof Fault) count(error.fault);
        else if (leaving.signal.aborted) count('left');
        else throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, random.integer(15)));
    }
  };
  const killer = setInterval(() => {
    const last = log.findLast(({ fields }) => fields['childPid'] !== undefined);
    if (last?.message === 'Model ready') process.kill(Number(last.fields['childPid']), 'SIGKILL');
  }, 400);
  await Promise.all(Array.from({ length: 8 }, caller));
  clearInterval(killer);

  assert.ok((outcomes.get('stop') ?? 0) > 20, `too few successes: ${JSON.stringify([...outcomes])}`);
  const known = ['stop', 'cancelled', 'left', 'generation_failed', 'capacity_unavailable', 'model_warming'];
  assert.deepEqual(
    [...outcomes.keys()].filter((outcome) => !known.includes(outcome)),
    [],
  );
  // A place that was lost would refuse one of these: as many as there are places, all at once.
  for (const id of ids) {
    await until(() => ids.every((other) => engine.status(other).status !== 'loading'));
    let refusals = ['model_warming'];
    while (refusals.includes('model_warming')) {
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => ask(engine, id)));
      refusals = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.fault] : []));
      assert.ok(!refusals.includes('capacity_unavailable'), 'a place was lost');
    }
    assert.deepEqual(refusals, []);
  }
  await scripted.close();
  for (const pid of readyPids(log)) assert.equal(isAlive(pid), false);
});
