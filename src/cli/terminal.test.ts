import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';

const terminal = JSON.stringify(new URL('./terminal.ts', import.meta.url).href);
const program = (code: string) => ['--input-type=module', '--eval', `import { print } from ${terminal}; ${code}`];

test('a result that could not be written is not done', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, program("print('fnf_'); process.exit();"), {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.equal(status, 1);
  assert.match(stderr, /^What belongs here cannot be written to the standard output: ENOSPC\b.*\n$/);
});

test('a reader that has gone ends nothing', async () => {
  const code =
    "process.stdin.once('end', () => { print('a'); print('b'); setImmediate(() => process.exit()); }).resume();";
  const child = spawn(process.execPath, program(code), { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.end();
  const said = child.stderr.setEncoding('utf8').toArray();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.deepEqual(await said, []);
});
