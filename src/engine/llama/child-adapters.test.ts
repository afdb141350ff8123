import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Adapter } from '../port.ts';
import { ChildDriver, finishedOf, userPrompt } from './child-driver.fixture.ts';
import { writeSmallModels } from './small-models.fixture.ts';

const { config, file, adapter, remove } = writeSmallModels();
const child = await ChildDriver.start(config);
after(async () => {
  if (child.process.connected) await child.stop();
  remove();
});

test('each adapter writes its own text over one base, and prefixes are not shared between them', async () => {
  const target = (one: Adapter | null) => ({ target: { baseModelId: 'test', adapter: one } });
  const write = (one: Adapter | null) => child.write(userPrompt('adapted', target(one)), {}, 'adapters');
  const [first, second, third] = [adapter('a', 7, 0.3), adapter('b', 8, 0.3), adapter('c', 9, 0.3)];
  const base = await write(null);
  assert.equal((await write(adapter('zero', 7, 0))).content, base.content);
  const [a, b] = await Promise.all([write(first), write(second)]);
  assert.equal(new Set([base.content, a.content, b.content]).size, 3);
  for (const one of [a, b]) assert.equal(finishedOf(one).usage.cachedTokens, 0);
  // The third one takes the place of the one that was used longest ago.
  const all = await Promise.all([write(third), write(first), write(second), write(null)]);
  assert.deepEqual(
    all.slice(1).map((one) => one.content),
    [a.content, b.content, base.content],
  );
  // One after the other, each takes over a context with what another one has left in it.
  const turns = [first, second, third, first, third, second, first];
  const written = new Map([
    [first, a.content],
    [second, b.content],
    [third, all[0]?.content],
  ]);
  for (const one of turns) assert.equal((await write(one)).content, written.get(one));
});

test('an adapter without a context need not wait until the others have nothing to do', async () => {
  const ended: string[] = [];
  const ask = async (name: string, seed: number, maxTokens: number) => {
    const target = { baseModelId: 'test', adapter: adapter(name, seed, 0.3) };
    await child.write(userPrompt(`busy ${ended.length}`, { target }), { maxTokens }, 'busy');
    ended.push(name);
  };
  // Two contexts, each for two at a time; both have more to do than that for as long as the third one waits.
  const busy = ['a', 'b'].flatMap((name, n) => Array.from({ length: 4 }, () => ask(name, 7 + n, 60)));
  await Promise.all([...busy, ask('c', 9, 1)]);
  assert.ok(ended.indexOf('c') < ended.lastIndexOf('a') && ended.indexOf('c') < ended.lastIndexOf('b'), String(ended));
});

test('an adapter that cannot be loaded fails its own requests only', async () => {
  const broken = { baseModelId: 'test', adapter: { sha256: 'x', path: file('text.gguf') } };
  const { reply } = await child.write(userPrompt('x', { target: broken }));
  assert.equal(reply.type === 'failed' && reply.fault, 'generation_failed');
  finishedOf(await child.write(userPrompt('x')));
});

test('where there is no memory for adapters their calls are refused, and those of the base are not', async () => {
  const short = await ChildDriver.start({ ...config, adapterContexts: 0 });
  const target = { baseModelId: 'test', adapter: adapter('a', 7, 0.3) };
  const { reply } = await short.write(userPrompt('x', { target }));
  assert.equal(reply.type === 'failed' && reply.fault, 'capacity_unavailable');
  finishedOf(await short.write(userPrompt('x')));
  await short.stop();
});
