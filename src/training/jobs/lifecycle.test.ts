import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import {
  failureCodes,
  isFinal,
  type JobEvent,
  type JobTransition,
  type LifecycleState,
  maxCrashes,
  maxInterruptions,
  transition,
} from './lifecycle.ts';

const created: LifecycleState = { state: 'queued', attempt: 1, interruptions: 0, crashes: 0, hasStarted: false };

const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.constantFrom<JobEvent>(
    { type: 'claimed' },
    { type: 'started' },
    { type: 'checkpointed' },
    { type: 'trained' },
    { type: 'published' },
    { type: 'lost' },
    { type: 'crashed' },
    { type: 'released' },
    { type: 'cancel_requested' },
    { type: 'stopped' },
    { type: 'retried' },
  ),
  fc.constantFrom(...failureCodes).map((code): JobEvent => ({ type: 'failed', code })),
);

test('whatever happens in whatever order, an attempt is held once and settled once, and only if it is over', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      let life = created;
      // Creation holds for the first attempt.
      let open = 1;
      for (const event of events) {
        const after = transition(life, event);
        if (after === null) continue;
        if (after.money === 'hold') open++;
        if (after.money === 'charge' || after.money === 'release') open--;
        assert.equal(open, isFinal(after.state) ? 0 : 1, `${life.state} ${event.type} ${after.state}`);
        assert.ok(after.attempt === life.attempt || (event.type === 'retried' && after.attempt === life.attempt + 1));
        if (isFinal(life.state)) assert.equal(event.type, 'retried');
        if (life.state === 'succeeded') assert.fail('nothing happens to a job that has succeeded');
        if (after.money === 'charge') assert.ok(after.hasStarted);
        assert.ok(after.crashes <= maxCrashes + 1 && after.interruptions <= maxInterruptions + 1);
        assert.ok(after.crashes <= after.interruptions);
        life = after;
      }
    }),
    { numRuns: 2_000 },
  );
});

function live(...events: JobEvent['type'][]): LifecycleState {
  return events.reduce<LifecycleState>((life, type) => {
    const after = transition(life, type === 'failed' ? { type, code: 'internal_error' } : { type });
    assert.ok(after, `${life.state} ${type}`);
    return after;
  }, created);
}

test('a job that never started is free, also when it fails or is canceled', () => {
  assert.equal(transition(live(), { type: 'cancel_requested' })?.money, 'release');
  assert.equal(transition(live('claimed'), { type: 'failed', code: 'dataset_invalid' })?.money, 'release');
  assert.equal(transition(live('claimed', 'cancel_requested'), { type: 'stopped' })?.money, 'release');
});

test('a run is paid for, unless it failed through no fault of its owner', () => {
  const running = live('claimed', 'started');
  for (const code of failureCodes) {
    const isOurs = ['base_model_unavailable', 'worker_lost', 'artifact_write_failed', 'internal_error'].includes(code);
    assert.equal(transition(running, { type: 'failed', code })?.money, isOurs ? 'release' : 'charge', code);
  }
  assert.equal(transition(live('claimed', 'started', 'cancel_requested'), { type: 'stopped' })?.money, 'charge');
  assert.equal(transition(live('claimed', 'started', 'trained'), { type: 'published' })?.money, 'charge');
});

type Loss = 'lost' | 'crashed';

/** A running job after these losses, each of which a worker has gone on from; stops where it is over. */
function suffer(life: LifecycleState, losses: readonly Loss[]): LifecycleState | JobTransition {
  return losses.reduce<LifecycleState | JobTransition>((now, type) => {
    const lost = transition(now, { type });
    return lost ? (transition(lost, { type: 'claimed' }) ?? lost) : now;
  }, life);
}

const times = (count: number, loss: Loss) => Array.from({ length: count }, () => loss);
const endOf = (life: LifecycleState | JobTransition) =>
  'code' in life ? [life.state, life.code, life.money] : [life.state];
const givenUp = ['failed', 'worker_lost', 'release'];

test('a trainer that is lost three times while its worker is well goes on, and the fourth time its attempt is given up', () => {
  const running = live('claimed', 'started');
  const after = suffer(running, times(maxCrashes, 'crashed'));
  assert.deepEqual([after.state, after.attempt, after.crashes], ['running', 1, 3]);
  assert.deepEqual(endOf(suffer(after, ['crashed'])), givenUp);
});

test('servers that die, and trainers that end in order, do not use up what is borne of trainers that are lost', () => {
  const running = live('claimed', 'started');
  const mixed: Loss[] = ['lost', 'crashed', 'lost', 'lost', 'crashed', 'lost', 'crashed', 'lost'];
  const after = suffer(running, mixed);
  assert.deepEqual([after.state, after.interruptions, after.crashes], ['running', 8, 3]);
  // The same before it has begun, as when the data is prepared.
  assert.equal(suffer(live('claimed'), mixed).state, 'preparing');
});

test('a job that takes its server along each time ends, too', () => {
  for (const life of [live('claimed'), live('claimed', 'started'), live('claimed', 'started', 'trained')]) {
    const after = suffer(life, times(maxInterruptions, 'lost'));
    assert.ok(!isFinal(after.state));
    assert.deepEqual(endOf(suffer(after, ['lost'])), givenUp);
  }
});

test('a job that comes to a new checkpoint between its losses is never given up', () => {
  let life: LifecycleState = live('claimed', 'started');
  for (let round = 0; round < 100; round++) {
    life = suffer(life, [...times(maxCrashes, 'crashed'), ...times(maxInterruptions - maxCrashes, 'lost')]);
    assert.equal(life.state, 'running');
    life = transition(life, { type: 'checkpointed' }) ?? life;
    assert.deepEqual([life.interruptions, life.crashes], [0, 0]);
  }
});

test('a job that is being canceled is canceled when worker or trainer is lost', () => {
  for (const type of ['lost', 'crashed'] as const) {
    const after = transition(live('claimed', 'started', 'cancel_requested'), { type });
    assert.deepEqual([after?.state, after?.money], ['canceled', 'charge']);
  }
});

test('a trainer that was done before it heard of the cancellation has won', () => {
  assert.equal(transition(live('claimed', 'started', 'cancel_requested'), { type: 'trained' })?.state, 'saving');
  assert.equal(transition(live('claimed', 'started', 'trained'), { type: 'cancel_requested' }), null);
});

test('a cancellation is obeyed wherever the job is, and what ran until then is paid for', () => {
  assert.equal(transition(live('claimed', 'started', 'released'), { type: 'cancel_requested' })?.state, 'canceled');
  for (const event of [
    { type: 'failed', code: 'internal_error' },
    { type: 'released' },
    { type: 'stopped' },
  ] as const) {
    const after = transition(live('claimed', 'started', 'cancel_requested'), event);
    assert.deepEqual([after?.state, after?.money], ['canceled', 'charge'], event.type);
    // A trainer that begins before it hears of it is not let go on.
    const late = live('claimed', 'cancel_requested', 'started');
    assert.deepEqual([late.state, transition(late, event)?.money], ['canceling', 'charge'], event.type);
  }
});
