import assert from 'node:assert/strict';
import { access, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#kernel';
import { trainerPython } from './trainer-program.ts';

let folder: string;
const environment = { PATH: process.env.PATH ?? '', HOME: tmpdir() };

/** The real script beside requirements that need no download. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfold-python-'));
  await copyFile(fileURLToPath(new URL('../../../trainer/setup.sh', import.meta.url)), join(folder, 'setup.sh'));
  await writeFile(join(folder, 'requirements.txt'), '# nothing\n');
});
after(() => rm(folder, { recursive: true }));

async function make(venv: string, { more = {}, signal = new AbortController().signal } = {}) {
  const lines: string[] = [];
  const setup = { script: join(folder, 'setup.sh'), venv: join(folder, venv) };
  const making = trainerPython({ environment: { ...environment, ...more }, signal, setup });
  for (;;) {
    const { done, value } = await making.next();
    if (done) return { python: value, lines };
    lines.push(value);
  }
}

test('the environment is made once, also when two ask for it at the same time, and it says what it does', async () => {
  const made = await Promise.all([make('one'), make('one')]);
  for (const { python } of made) assert.equal(python, join(folder, 'one/bin/python'));
  await access(join(folder, 'one/bin/python'));
  const [busy, waiting] = made.map(({ lines }) => lines).sort((a, b) => b.length - a.length);
  assert.match(busy?.[0] ?? '', /^Making the trainer's Python environment/);
  assert.deepEqual(waiting, []);
  assert.deepEqual((await make('one')).lines, []);
});

test('without Python, or where nothing can be written, the operator is told so in one sentence', async () => {
  const refused = (message: RegExp) => (error: unknown) => {
    assert.ok(error instanceof OperatorError);
    assert.match(error.message, message);
    assert.equal(error.message.split('\n').length, 1);
    return true;
  };
  await assert.rejects(
    make('two', { more: { PYTHON: '/nowhere/python' } }),
    refused(/there is no \/nowhere\/python; install/),
  );
  await assert.rejects(make('setup.sh/three'), refused(/cannot be written/));
});

test('a setup that nobody waits for any more ends', async () => {
  const ended = new AbortController();
  ended.abort(new Error('The server stops.'));
  await assert.rejects(make('four', { signal: ended.signal }), /The server stops/);
});
