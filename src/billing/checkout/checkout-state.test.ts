import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { type CheckoutState, checkoutStates, nextState, type Seen } from './checkout-state.ts';

const [state, sight] = [
  fc.constantFrom(...checkoutStates),
  fc.constantFrom<Seen>('open', 'processing', 'paid', 'failed', 'expired'),
];
const ends: readonly CheckoutState[] = ['completed', 'failed', 'canceled', 'expired'];

test('a payment completes a checkout whatever was believed of it, and nothing that is told later takes it back', () => {
  fc.assert(
    fc.property(state, fc.array(sight), (before, later) => {
      assert.equal(later.reduce(nextState, nextState(before, 'paid')), 'completed');
    }),
  );
});

test('without money a checkout that has ended stays as it ended, and one that the bank works on is not open again', () => {
  const withoutMoney = sight.filter((seen) => seen !== 'paid');
  fc.assert(
    fc.property(state, fc.array(withoutMoney), (before, told) => {
      const after = told.reduce(nextState, before);
      if (ends.includes(before)) assert.equal(after, before);
      else assert.notEqual(after, 'completed');
      if (before === 'processing') assert.ok(['processing', 'failed'].includes(after), after);
    }),
  );
});

test('of an open checkout whatever is told first counts, and the bank refuses what it works on', () => {
  const told: readonly [Seen, CheckoutState][] = [
    ['open', 'open'],
    ['processing', 'processing'],
    ['paid', 'completed'],
    ['failed', 'failed'],
    ['expired', 'expired'],
  ];
  for (const [seen, after] of told) assert.equal(nextState('open', seen), after);
  assert.equal(nextState('processing', 'failed'), 'failed');
});
