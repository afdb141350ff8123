import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { openModel } from './binding.ts';
import { bytesOfGrammar, NativeGarbage } from './native-library.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-garbage-'));
const ggufPath = join(folder, 'text.gguf');
writeRandomModel(ggufPath, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false });
const model = await openModel({ path: ggufPath, gpu: false, maxThreads: 1 });
after(async () => {
  await model.dispose();
  rmSync(folder, { recursive: true });
});

test('a collection comes for every 64 MB that objects of the addon keep, and none before', () => {
  let collections = 0;
  const garbage = new NativeGarbage(() => {
    collections += 1;
  });
  for (let mb = 1; mb <= 200; mb++) {
    garbage.made(2 ** 20);
    assert.equal(collections, Math.floor(mb / 64));
  }
});

test('what is repeated counts as often as llama.cpp writes it out', () => {
  const once = bytesOfGrammar('root ::= "a"');
  assert.ok(bytesOfGrammar('root ::= "a"{1000}') > once + 50_000);
  assert.ok(bytesOfGrammar('root ::= "a"{10,1000}') > once + 50_000);
  assert.ok(bytesOfGrammar('root ::= "a"{1000,}') > once + 50_000);
  assert.ok(
    bytesOfGrammar('root ::= "{9999999999}"') < once + 200_000,
    'a text that only looks like it does little harm',
  );
});

test('a grammar that would take long to read is refused before it is read', () => {
  const times = (count: number) => `root ::= ${Array.from({ length: count }, () => '"a"{0,1000}').join(' ')}`;
  assert.ok(model.createGrammar(times(90)));
  assert.throws(() => model.createGrammar(times(130)), /too large/);
  assert.throws(() => model.createGrammar(`root ::= "${'a'.repeat(2 ** 21)}"`), /too large/);
});

test('grammars that requests went on by are freed while others come, long before V8 would', async () => {
  const large = model.createGrammar(`root ::= ${Array.from({ length: 40 }, () => '"a"{0,1000}').join(' ')}`);
  const states: WeakRef<object>[] = [];
  for (let n = 0; n < 100; n++) {
    states.push(new WeakRef(model.createGrammarState(large)));
    // A reference that was just made is held until the end of its task.
    await setImmediate();
  }
  const waiting = states.filter((state) => state.deref() !== undefined).length;
  assert.ok(waiting < 50, `${waiting} of 100, 3 MB each`);
});

test('requests that share a grammar go on by it each on its own', () => {
  const shared = model.createGrammar('root ::= "ab" | "cd"');
  const [one, other] = [model.createGrammarState(shared), model.createGrammarState(shared)];
  const fits = (state: typeof one, text: string) =>
    [...model.addon.tokenize(text, false)].map((token) => model.advanceGrammar(state, token));
  assert.deepEqual(fits(one, 'ab'), [true, true]);
  assert.deepEqual(fits(other, 'cd'), [true, true]);
  assert.deepEqual(fits(model.createGrammarState(shared), 'ad'), [true, false]);
});
