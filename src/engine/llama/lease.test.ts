import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { createLease, type LeaseAction } from './pool.ts';

const grant = (member: string): LeaseAction<string> => ({ type: 'grant', member });
const yielding = (member: string): LeaseAction<string> => ({ type: 'yield', member });

test('a free lease is granted at once, and alone a member keeps it until its work is done', () => {
  const lease = createLease<string>(50);
  assert.deepEqual(lease.want('a', 0), [grant('a')]);
  assert.deepEqual(lease.want('a', 10), []);
  assert.equal(lease.dueMs(), null);
  assert.deepEqual(lease.sliceOver(10_000), []);
  assert.deepEqual(lease.back('a', false, 10_000), []);
  assert.equal(lease.holder(), null);
});

test('a member that waits gets the lease when the slice of the holder is over, and they take turns from there', () => {
  const lease = createLease<string>(50);
  lease.want('a', 0);
  assert.deepEqual(lease.want('b', 10), []);
  assert.equal(lease.dueMs(), 50);
  assert.deepEqual(lease.sliceOver(49), []);
  assert.deepEqual(lease.sliceOver(50), [yielding('a')]);
  assert.deepEqual(lease.sliceOver(60), []);
  assert.deepEqual(lease.back('a', true, 70), [grant('b')]);
  assert.equal(lease.dueMs(), 120);
  assert.deepEqual(lease.sliceOver(120), [yielding('b')]);
  assert.deepEqual(lease.back('b', false, 125), [grant('a')]);
});

test('a holder past its slice is asked to yield as soon as somebody wants', () => {
  const lease = createLease<string>(50);
  lease.want('a', 0);
  assert.deepEqual(lease.want('b', 80), [yielding('a')]);
});

test('the death of a holder or of a waiting member never loses the lease', () => {
  const lease = createLease<string>(50);
  lease.want('a', 0);
  lease.want('b', 1);
  lease.want('c', 2);
  assert.deepEqual(lease.gone('b', 3), []);
  assert.deepEqual(lease.gone('a', 4), [grant('c')]);
  assert.deepEqual(lease.gone('c', 5), []);
  assert.equal(lease.holder(), null);
});

test('a member that does not hold gives nothing back', () => {
  const lease = createLease<string>(50);
  lease.want('a', 0);
  lease.want('b', 2);
  assert.deepEqual(lease.back('b', true, 3), []);
  assert.equal(lease.holder(), 'a');
});

/**
 * Children against the lease, with messages in flight both ways: each keeps order, none is delivered at once. A child works
 * on its jobs one step at a time while it holds, as the protocol says.
 */
test('under any order of work, steps, deaths and message delays one child steps at a time and all work gets done', () => {
  const event = fc.tuple(fc.constantFrom('work', 'deliver', 'step', 'time', 'die'), fc.nat(2), fc.nat(40));
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200, size: 'max' }), (events) => {
      const world = createWorld();
      for (const [kind, child, amount] of events) world[kind](child, amount);
      for (let round = 0; round < 3_000 && world.jobsLeft() > 0; round++) {
        world.time(0, 10);
        for (const child of [0, 1, 2]) {
          world.deliver(child);
          world.step(child);
        }
      }
      assert.equal(world.jobsLeft(), 0, 'work is left over: the lease was lost');
    }),
    { numRuns: 1000 },
  );
});

function createWorld() {
  const lease = createLease<number>(50);
  const children = [0, 1, 2].map(() => ({
    /** What the parent has sent and not seen finished. */
    sent: 0,
    jobs: 0,
    held: false,
    yielding: false,
    inbox: [] as ('grant' | 'yield' | 'job')[],
    outbox: [] as ('done' | 'lease_back')[],
  }));
  let nowMs = 0;
  const at = (index: number) => {
    const child = children[index];
    assert.ok(child);
    return child;
  };
  const apply = (actions: LeaseAction<number>[]) => {
    for (const { type, member } of actions) at(member).inbox.push(type);
  };
  const receive = (index: number) => {
    const child = at(index);
    const message = child.outbox.shift();
    if (message === 'done') child.sent -= 1;
    if (message === 'lease_back') apply(lease.back(index, child.sent > 0, nowMs));
  };
  return {
    work: (index: number) => {
      apply(lease.want(index, nowMs));
      at(index).sent += 1;
      at(index).inbox.push('job');
    },
    deliver: (index: number) => {
      receive(index);
      const child = at(index);
      const message = child.inbox.shift();
      if (message === 'job') child.jobs += 1;
      if (message === 'grant') child.held = true;
      if (message === 'yield') child.yielding = child.held;
    },
    step: (index: number) => {
      const child = at(index);
      assert.ok(children.filter(({ held, jobs }) => held && jobs > 0).length <= 1, 'two children at work');
      if (!child.held) return;
      if (child.jobs > 0) {
        child.jobs -= 1;
        child.outbox.push('done');
      }
      if (child.jobs > 0 && !child.yielding) return;
      child.held = false;
      child.yielding = false;
      child.outbox.push('lease_back');
    },
    time: (_: number, ms: number) => {
      nowMs += ms;
      apply(lease.sliceOver(nowMs));
    },
    die: (index: number) => {
      Object.assign(at(index), { sent: 0, jobs: 0, held: false, yielding: false, inbox: [], outbox: [] });
      apply(lease.gone(index, nowMs));
    },
    jobsLeft: () => children.reduce((sum, child) => sum + child.sent, 0),
  };
}
