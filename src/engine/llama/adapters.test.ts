import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes } from './adapters.ts';
import type { NativeAdapter, NativeContext } from './binding.ts';

type Work = { requests: number };

const adapterOf = (name: string) => ({ sha256: name, path: import.meta.filename });

/** Lanes over a model that does nothing. */
function lanesOf(mostAdapters: number) {
  // as: nothing else of them is used.
  const context = () => ({ setLoras() {}, disposeSequence() {}, dispose: async () => {} }) as unknown as NativeContext;
  const adapter = () => ({ dispose: async () => {} }) as unknown as NativeAdapter;
  return new Lanes<Work>({
    model: { loadAdapter: async () => adapter() },
    openContext: async () => context(),
    createWork: () => ({ requests: 0 }),
    isIdle: ({ requests }) => requests === 0,
    isAtRest: ({ requests }) => requests === 0,
    forget: () => {},
    mostAdapters,
    adapterSequences: 1,
  });
}

test('of adapters whose callers have all left before their turn came nothing stays', async () => {
  const lanes = lanesOf(1);
  lanes.work(null);
  await lanes.use('');
  lanes.work(adapterOf('busy')).requests = 1;
  assert.notEqual(await lanes.use('busy'), null);
  for (let n = 0; n < 100; n++) {
    const work = lanes.work(adapterOf(`left-${n}`));
    work.requests = 1;
    assert.equal(await lanes.use(`left-${n}`), null, 'the only context is taken');
    work.requests = 0;
    await lanes.use('');
  }
  assert.equal(lanes.all().length, 2, 'the base and the adapter that is at work');
});

test('an adapter that waits for a context, or has one, keeps its work while others come and go', async () => {
  const lanes = lanesOf(1);
  lanes.work(null);
  await lanes.use('');
  const busy = lanes.work(adapterOf('busy'));
  busy.requests = 1;
  await lanes.use('busy');
  const waits = lanes.work(adapterOf('waits'));
  waits.requests = 1;
  assert.equal(await lanes.use('waits'), null);
  busy.requests = 0;
  await lanes.use('');
  assert.equal(lanes.work(adapterOf('waits')), waits);
  assert.equal(lanes.work(adapterOf('busy')), busy);
  assert.notEqual(await lanes.use('waits'), null, 'the idle one gives its context away');
  await lanes.close();
});
