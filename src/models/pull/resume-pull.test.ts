import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelErrorWith } from './model-error.fixture.ts';
import { fileHub, ranges } from './pull-model.fixture.ts';

const { model, setUp } = fileHub();

describe('a pull that was interrupted', { timeout: 300_000 }, () => {
  test('a connection that breaks off is resumed where it broke, in the same commit', async (t) => {
    const { hub, pull, notes, path } = await setUp(t);
    hub.misbehave({ type: 'cut', afterBytes: 1_000_000 }, { type: 'cut', afterBytes: 500_000 });
    await pull();
    assert.deepEqual(readFileSync(path), model);
    const [first, second, third] = ranges(hub);
    assert.equal(first, undefined);
    const starts = [second, third].map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]));
    assert.ok((starts[0] ?? 0) > 0 && (starts[1] ?? 0) > (starts[0] ?? 0), `${starts}`);
    assert.match(notes[0] ?? '', /broke off; trying again in \d+ s/);
  });

  test('a pull that gave up is resumed by the next one, and the whole file is checked', async (t) => {
    const { hub, pull, progress, path, partialPath } = await setUp(t);
    hub.misbehave({ type: 'cut', afterBytes: 1_000_000 });
    await assert.rejects(pull({ retryDelaysMs: [] }), modelErrorWith(/broke off/));
    const kept = statSync(partialPath).size;
    assert.ok(kept > 0);
    assert.equal(existsSync(path), false);
    await pull();
    assert.deepEqual(readFileSync(path), model);
    assert.equal(ranges(hub).at(-1), `bytes=${kept}-`);
    assert.ok(progress.some(({ phase }) => phase === 'check'));
  });

  test('retries that make progress are not counted as failures', async (t) => {
    const { hub, pull, path } = await setUp(t);
    hub.misbehave(...Array.from({ length: 2 }, () => ({ type: 'cut', afterBytes: 1_200_000 }) as const));
    await pull({ retryDelaysMs: [1] });
    assert.deepEqual(readFileSync(path), model);
  });

  test('a store that falls silent is given up on and resumed', async (t) => {
    const { hub, pull, path } = await setUp(t);
    hub.misbehave({ type: 'stall', afterBytes: 1_000_000 });
    await pull();
    assert.deepEqual(readFileSync(path), model);
  });

  test('a store that ignores the range, or sends another part, still gives the right file', async (t) => {
    for (const type of ['ignore_range', 'wrong_range'] as const) {
      const { hub, pull, path } = await setUp(t);
      hub.misbehave({ type: 'cut', afterBytes: 1_000_000 }, { type });
      await pull();
      assert.deepEqual(readFileSync(path), model, type);
    }
  });

  test('a file that changed at the hub between two attempts is fetched from the start', async (t) => {
    const { hub, replace, pull, path } = await setUp(t);
    hub.misbehave({ type: 'cut', afterBytes: 1_000_000 });
    await assert.rejects(pull({ retryDelaysMs: [] }), modelErrorWith(/broke off/));
    const next = Buffer.from(model);
    next[next.length - 40] = 7;
    replace(next);
    await pull();
    assert.deepEqual(readFileSync(path), next);
  });

  test('a partial file whose bytes were spoilt on disk is found out and fetched again', async (t) => {
    const { hub, pull, path, partialPath } = await setUp(t);
    hub.misbehave({ type: 'cut', afterBytes: 1_000_000 });
    await assert.rejects(pull({ retryDelaysMs: [] }), modelErrorWith(/broke off/));
    writeFileSync(partialPath, Buffer.alloc(statSync(partialPath).size, 9));
    await pull();
    assert.deepEqual(readFileSync(path), model);
  });

  test('a process that died between the last byte and the rename costs no second transfer', async (t) => {
    const { hub, pull, path, partialPath } = await setUp(t);
    hub.misbehave({ type: 'cut', afterBytes: 1_000_000 });
    await assert.rejects(pull({ retryDelaysMs: [] }), modelErrorWith(/broke off/));
    writeFileSync(partialPath, model);
    await pull();
    assert.deepEqual(readFileSync(path), model);
    assert.equal(ranges(hub).length, 1);
  });

  test('stopping keeps what was fetched', async (t) => {
    const { hub, pull, path, partialPath } = await setUp(t);
    hub.misbehave({ type: 'stall', afterBytes: 1_000_000 });
    const caller = new AbortController();
    const stopped = assert.rejects(
      pull({ signal: caller.signal, stallMs: 20_000 }),
      modelErrorWith(/Stopped.*goes on from there/),
    );
    while (!((statSync(partialPath, { throwIfNoEntry: false })?.size ?? 0) > 0)) await sleep(5);
    caller.abort();
    await stopped;
    assert.ok(statSync(partialPath).size > 0);
    await pull();
    assert.deepEqual(readFileSync(path), model);
  });

  test('a pull that is killed leaves no lock and is resumed by the next one', async (t) => {
    const { hub, models, pull, path, partialPath } = await setUp(t);
    hub.misbehave({ type: 'stall', afterBytes: 1_000_000 });
    const script = join(path, '../../../../puller.mts');
    writeFileSync(
      script,
      `import { openModels, pullModel } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
       const [cataloguePath, dataDir, endpoint] = process.argv.slice(2);
       const models = openModels({ cataloguePath, dataDir });
       await pullModel(models, { model: 'some', endpoint, signal: new AbortController().signal });`,
    );
    const dataDir = join(path, '../../..');
    const child = fork(script, [join(dataDir, '../catalogue.yaml'), dataDir, hub.url]);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    while (!existsSync(partialPath) || statSync(partialPath).size < 900_000) await sleep(20);
    await assert.rejects(pull(), modelErrorWith(/is being pulled by another command/));
    child.kill('SIGKILL');
    await exited;
    await pull();
    assert.deepEqual(readFileSync(path), model);
    assert.match(ranges(hub).at(-1) ?? '', /^bytes=\d{6,}-$/);
    assert.ok(models.find('some')?.installed);
  });
});
