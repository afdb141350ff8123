import assert from 'node:assert/strict';
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { withFileLock } from './file-lock.ts';
import { ModelError } from './model-error.ts';
import { type RegistryEntry, readRegistry, registryPath, updateRegistry, updateSettings } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-registry-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const paths = Array.from({ length: 100 }, (_, i) => registryPath(join(folder, String(i))));
/** A registry of its own for each test. */
function freshPath(text?: string): string {
  const path = paths.pop() ?? assert.fail();
  if (text === undefined) return path;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const entry: RegistryEntry = {
  files: [{ path: '/models/m.gguf', size_bytes: 10, modified_ms: 1.5, sha256: 'a'.repeat(64) }],
  hub: null,
  installed_at: '2026-01-02T03:04:05.678Z',
  added: {
    kind: 'embedding',
    name: 'M',
    license: null,
    parameters: 5,
    max_context_tokens: 512,
    credits_per_gpu_minute: '0.030000',
    price_version: 'v1',
    dimensions: 8,
    query_instruction: null,
  },
};

describe('registry of installed models', () => {
  test('a missing file is an empty registry', () => {
    assert.equal(readRegistry(freshPath()).entries.size, 0);
  });

  test('what was written is read back, and null removes it', async () => {
    const path = freshPath();
    await updateRegistry(path, 'm', entry);
    assert.deepEqual(readRegistry(path).entries.get('m'), entry);
    await updateRegistry(path, 'm', null);
    assert.equal(readRegistry(path).entries.size, 0);
    assert.deepEqual(readdirSync(dirname(path)), ['registry.json', 'registry.json.lock'], 'no temporary file stays');
  });

  test('settings are kept beside the models, end with their model, and are left out and named where they do not read', async () => {
    const path = freshPath(JSON.stringify({ version: 1, models: {}, settings: { odd: { kv: 'q5' } } }));
    const settings = { context: null, sequences: 2, kv: 'q8_0' as const };
    await updateRegistry(path, 'm', entry, settings);
    await updateSettings(path, 'shipped', settings);
    const { settings: read, problems } = readRegistry(path);
    assert.deepEqual(
      [...read],
      [
        ['m', settings],
        ['shipped', settings],
      ],
    );
    assert.match(problems.join(), /the settings of "odd" do not read/);
    await updateRegistry(path, 'm', entry);
    assert.deepEqual(readRegistry(path).settings.get('m'), settings);
    await updateRegistry(path, 'm', null);
    await updateSettings(path, 'shipped', null);
    assert.equal(readRegistry(path).settings.size, 0);
  });

  test('an entry that does not read is left out and named, the others stay, and writing keeps every field', async () => {
    const future = { ...entry, colour: 'blue', added: { ...entry.added, more: 1 } };
    const models = { good: entry, bad: { files: 3 }, 'Not An Id': entry, future };
    const path = freshPath(JSON.stringify({ version: 1, models }));
    const registry = readRegistry(path);
    assert.deepEqual([...registry.entries.keys()], ['good', 'future']);
    assert.equal(registry.problems.length, 2);
    assert.match(registry.problems.join('\n'), /"bad" is left out: .*\n.*"Not An Id" is left out: the id/);
    await updateRegistry(path, 'new', entry);
    const raw = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual(raw.models, { ...models, new: entry });
  });

  test('a damaged file is an error in one line and is never overwritten', async () => {
    for (const text of ['', '{', 'null', '[]', '{"version":1}', '{"version":2,"models":{}}']) {
      const path = freshPath(text);
      assert.throws(() => readRegistry(path), ModelError);
      await assert.rejects(updateRegistry(path, 'm', entry), ModelError);
      assert.equal(readFileSync(path, 'utf8'), text);
    }
  });

  test('any JSON gives a registry or one line of refusal', () => {
    const path = freshPath('');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.json().map((json) => `{"version":1,"models":{"m":${json}}}`),
        ),
        (text) => {
          writeFileSync(path, text);
          try {
            for (const problem of readRegistry(path).problems) assert.match(problem, /^[^\n]+$/);
          } catch (error) {
            assert.ok(error instanceof ModelError);
            assert.match(error.message, /^[^\n]+$/);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('twenty updates at once, from two processes, all arrive', async () => {
    const path = freshPath();
    const writer = join(folder, 'writer.mts');
    writeFileSync(
      writer,
      `import { updateRegistry } from ${JSON.stringify(new URL('./registry.ts', import.meta.url).href)};
       await Promise.all(Array.from({ length: 10 }, (_, i) =>
         updateRegistry(${JSON.stringify(path)}, 'child-' + i, ${JSON.stringify(entry)})));`,
    );
    const child = fork(writer);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await Promise.all(Array.from({ length: 10 }, (_, i) => updateRegistry(path, `parent-${i}`, entry)));
    assert.equal(await exited, 0);
    assert.equal(readRegistry(path).entries.size, 20);
  });
});

describe('file lock', () => {
  const busy = { waitMs: 0, busyMessage: 'It is busy.' };

  test('a second holder is refused at once when it may not wait, and gets in after the first', async () => {
    const path = join(folder, 'a.lock');
    await withFileLock(path, busy, async () => {
      await assert.rejects(
        withFileLock(path, busy, async () => {}),
        /It is busy/,
      );
    });
    assert.equal(await withFileLock(path, busy, async () => 5), 5);
  });

  test('the lock goes when the work fails', async () => {
    const path = join(folder, 'b.lock');
    await assert.rejects(
      withFileLock(path, busy, () => Promise.reject(new Error('no'))),
      /no/,
    );
    await withFileLock(path, busy, async () => {});
  });

  test('a disk that takes no lock keeps nobody out: each caller learns of the disk', () => {
    const path = join(folder, 'full.lock');
    const module = new URL('./file-lock.ts', import.meta.url).href;
    const script = `import { withFileLock } from ${JSON.stringify(module)};
      const lock = { waitMs: 0, busyMessage: 'busy' };
      for (const _ of [1, 2]) await withFileLock(${JSON.stringify(path)}, lock, async () => {})
        .catch(({ message }) => console.log(message));`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    // Files may have no bytes, as on a full disk.
    const output = execFileSync('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    assert.equal(output, `${path} cannot be locked: disk I/O error.\n`.repeat(2));
  });

  test('the lock of a process that was killed is free at once', async () => {
    const path = join(folder, 'c.lock');
    const module = new URL('./file-lock.ts', import.meta.url).href;
    const script = `import { withFileLock } from ${JSON.stringify(module)};
      const work = () => new Promise(() => { console.log('locked'); setInterval(() => {}, 1000); });
      await withFileLock(${JSON.stringify(path)}, { waitMs: 0, busyMessage: 'busy' }, work);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    await once(child.stdout, 'data');
    await assert.rejects(
      withFileLock(path, busy, async () => {}),
      /It is busy/,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(await withFileLock(path, busy, async () => 'in'), 'in');
  });

  test('many takers never hold a lock together', async () => {
    const path = join(folder, 'e.lock');
    let holders = 0;
    await Promise.all(
      Array.from({ length: 8 }, () =>
        withFileLock(path, { waitMs: 20_000, busyMessage: 'busy' }, async () => {
          assert.equal(++holders, 1);
          await new Promise((resolve) => setTimeout(resolve, 5));
          holders--;
        }),
      ),
    );
  });
});
