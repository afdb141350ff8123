import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import {
  failureCodes,
  isFinal,
  type Life,
  type LifeEvent,
  mostCrashes,
  mostInterruptions,
  type Next,
  next,
} from './lifecycle.ts';

const created: Life = { state: 'queued', attempt: 1, interruptions: 0, crashes: 0, hasStarted: false };

const anyEvent: fc.Arbitrary<LifeEvent> = fc.oneof(
  fc.constantFrom<LifeEvent>(
    { type: 'taken' },
    { type: 'started' },
    { type: 'advanced' },
    { type: 'trained' },
    { type: 'published' },
    { type: 'lost' },
    { type: 'crashed' },
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
        assert.ok(after.crashes <= mostCrashes + 1 && after.interruptions <= mostInterruptions + 1);
        assert.ok(after.crashes <= after.interruptions);
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

type Loss = 'lost' | 'crashed';

/** A running job after these losses, each of which a worker has gone on from; stops where it is over. */
function suffer(life: Life, losses: readonly Loss[]): Life | Next {
  return losses.reduce<Life | Next>((now, type) => {
    const lost = next(now, { type });
    return lost ? (next(lost, { type: 'taken' }) ?? lost) : now;
  }, life);
}

const times = (count: number, loss: Loss) => Array.from({ length: count }, () => loss);
const endOf = (life: Life | Next) => ('code' in life ? [life.state, life.code, life.money] : [life.state]);
const givenUp = ['failed', 'worker_lost', 'release'];

test('a trainer that is lost three times while its worker is well goes on, and the fourth time its attempt is given up', () => {
  const running = live('taken', 'started');
  const after = suffer(running, times(mostCrashes, 'crashed'));
  assert.deepEqual([after.state, after.attempt, after.crashes], ['running', 1, 3]);
  assert.deepEqual(endOf(suffer(after, ['crashed'])), givenUp);
});

test('servers that die, and trainers that end in order, do not use up what is borne of trainers that are lost', () => {
  const running = live('taken', 'started');
  const mixed: Loss[] = ['lost', 'crashed', 'lost', 'lost', 'crashed', 'lost', 'crashed', 'lost'];
  const after = suffer(running, mixed);
  assert.deepEqual([after.state, after.interruptions, after.crashes], ['running', 8, 3]);
  // The same before it has begun, as when the data is prepared.
  assert.equal(suffer(live('taken'), mixed).state, 'preparing');
});

test('a job that takes its server along each time ends, too', () => {
  for (const life of [live('taken'), live('taken', 'started'), live('taken', 'started', 'trained')]) {
    const after = suffer(life, times(mostInterruptions, 'lost'));
    assert.ok(!isFinal(after.state));
    assert.deepEqual(endOf(suffer(after, ['lost'])), givenUp);
  }
});

test('a job that comes to a new checkpoint between its losses is never given up', () => {
  let life: Life = live('taken', 'started');
  for (let round = 0; round < 100; round++) {
    life = suffer(life, [...times(mostCrashes, 'crashed'), ...times(mostInterruptions - mostCrashes, 'lost')]);
    assert.equal(life.state, 'running');
    life = next(life, { type: 'advanced' }) ?? life;
    assert.deepEqual([life.interruptions, life.crashes], [0, 0]);
  }
});

test('a job that is being canceled is canceled when worker or trainer is lost', () => {
  for (const type of ['lost', 'crashed'] as const) {
    const after = next(live('taken', 'started', 'cancel_asked'), { type });
    assert.deepEqual([after?.state, after?.money], ['canceled', 'charge']);
  }
});

test('a trainer that was done before it heard of the cancellation has won', () => {
  assert.equal(next(live('taken', 'started', 'cancel_asked'), { type: 'trained' })?.state, 'saving');
  assert.equal(next(live('taken', 'started', 'trained'), { type: 'cancel_asked' }), null);
});

test('a cancellation is obeyed wherever the job is, and what ran until then is paid for', () => {
  assert.equal(next(live('taken', 'started', 'put_down'), { type: 'cancel_asked' })?.state, 'canceled');
  for (const event of [
    { type: 'failed', code: 'internal_error' },
    { type: 'put_down' },
    { type: 'stopped' },
  ] as const) {
    const after = next(live('taken', 'started', 'cancel_asked'), event);
    assert.deepEqual([after?.state, after?.money], ['canceled', 'charge'], event.type);
    // A trainer that begins before it hears of it is not let go on.
    const late = live('taken', 'cancel_asked', 'started');
    assert.deepEqual([late.state, next(late, event)?.money], ['canceling', 'charge'], event.type);
  }
});
