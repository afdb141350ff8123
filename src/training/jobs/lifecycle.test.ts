import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { failureCodes, isFinal, type Life, type LifeEvent, mostInterruptions, next } from './lifecycle.ts';

const created: Life = { state: 'queued', attempt: 1, interruptions: 0, hasStarted: false };

const anyEvent: fc.Arbitrary<LifeEvent> = fc.oneof(
  fc.constantFrom<LifeEvent>(
    { type: 'taken' },
    { type: 'started' },
    { type: 'advanced' },
    { type: 'trained' },
    { type: 'published' },
    { type: 'lost' },
    { type: 'put_down' },
    { type: 'cancel_asked' },
    { type: 'stopped' },
    { type: 'retried' },
  ),
  fc.constantFrom(...failureCodes).map((code): LifeEvent => ({ type: 'failed', code })),
);

test('whatever happens in whatever order, an attempt is held once and settled once, and only if it is over', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      let life = created;
      // Creation holds for the first attempt.
      let open = 1;
      for (const event of events) {
        const after = next(life, event);
        if (after === null) continue;
        if (after.money === 'hold') open++;
        if (after.money === 'charge' || after.money === 'release') open--;
        assert.equal(open, isFinal(after.state) ? 0 : 1, `${life.state} ${event.type} ${after.state}`);
        assert.ok(after.attempt === life.attempt || (event.type === 'retried' && after.attempt === life.attempt + 1));
        if (isFinal(life.state)) assert.equal(event.type, 'retried');
        if (life.state === 'succeeded') assert.fail('nothing happens to a job that has succeeded');
        if (after.money === 'charge') assert.ok(after.hasStarted);
        assert.ok(after.interruptions <= mostInterruptions + 1);
        life = after;
      }
    }),
    { numRuns: 2_000 },
  );
});

function live(...events: LifeEvent['type'][]): Life {
  return events.reduce<Life>((life, type) => {
    const after = next(life, type === 'failed' ? { type, code: 'internal_error' } : { type });
    assert.ok(after, `${life.state} ${type}`);
    return after;
  }, created);
}

test('a job that never started is free, also when it fails or is canceled', () => {
  assert.equal(next(live(), { type: 'cancel_asked' })?.money, 'release');
  assert.equal(next(live('taken'), { type: 'failed', code: 'dataset_invalid' })?.money, 'release');
  assert.equal(next(live('taken', 'cancel_asked'), { type: 'stopped' })?.money, 'release');
});

test('a run is paid for, unless it failed through no fault of its owner', () => {
  const running = live('taken', 'started');
  for (const code of failureCodes) {
    const isOurs = ['base_model_unavailable', 'worker_lost', 'artifact_write_failed', 'internal_error'].includes(code);
    assert.equal(next(running, { type: 'failed', code })?.money, isOurs ? 'release' : 'charge', code);
  }
  assert.equal(next(live('taken', 'started', 'cancel_asked'), { type: 'stopped' })?.money, 'charge');
  assert.equal(next(live('taken', 'started', 'trained'), { type: 'published' })?.money, 'charge');
});

test('an attempt that gets nowhere is given up after three losses, and one that advances is not', () => {
  let life = live('taken', 'started');
  for (let loss = 1; loss <= mostInterruptions; loss++) {
    const lost = next(life, { type: 'lost' });
    assert.equal(lost?.state, 'interrupted');
    life = next(lost, { type: 'taken' }) ?? life;
    assert.deepEqual([life.state, life.attempt], ['running', 1]);
  }
  assert.deepEqual(
    [next(life, { type: 'lost' })].map((end) => [end?.state, end?.code, end?.money]),
    [['failed', 'worker_lost', 'release']],
  );
  const advanced = next(life, { type: 'advanced' });
  assert.equal(advanced && next(advanced, { type: 'lost' })?.state, 'interrupted');
});

test('a trainer that was done before it heard of the cancellation has won', () => {
  assert.equal(next(live('taken', 'started', 'cancel_asked'), { type: 'trained' })?.state, 'saving');
  assert.equal(next(live('taken', 'started', 'trained'), { type: 'cancel_asked' }), null);
});
