import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const module = JSON.stringify(new URL('./log-stream.ts', import.meta.url).href);
const lead = `import { openLogStream } from ${module}; const log = openLogStream(2);`;
const many = "for (let n = 0; n < 3000; n++) log.write(JSON.stringify({ n, pad: 'x'.repeat(990) }) + '\\n');";
const program = (code: string) => ['--input-type=module', '--eval', `${lead} ${code}`];

test('a log that the disk has no room for ends nothing', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w');
  const code = `${many} setTimeout(() => console.log('alive'), 500);`;
  const { stdout } = spawnSync(process.execPath, program(code), { stdio: ['ignore', 'pipe', full], encoding: 'utf8' });
  closeSync(full);
  assert.equal(stdout, 'alive\n');
});

test('a log whose reader does not read on holds nothing up, and once it is read tells what it kept and how much it left out', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { reader, writer } = await openPipe(t);
  const child = spawn(process.execPath, program(`${many} console.log('alive'); process.stdin.resume();`), {
    stdio: ['pipe', 'pipe', writer],
  });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.stdout);
  await once(child.stdout, 'data');
  let log = '';
  for await (const piece of reader.setEncoding('utf8')) {
    log += piece;
    if (log.includes('could not be written')) break;
  }
  const told = log.trimEnd().split('\n').map(readLine);
  const last = told.pop();
  assert.deepEqual(
    told.map(({ n }) => n),
    [...told.keys()],
  );
  assert.ok(told.length > 1000, `${told.length} lines were kept`);
  assert.equal(last?.lines, 3000 - told.length);
});

test('a log whose reader has gone ends nothing', async (t) => {
  const code =
    "process.stdin.once('end', () => { log.write('a\\n'); log.write('b\\n'); console.log('alive'); }).resume();";
  const child = spawn(process.execPath, program(code), { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  child.stderr.destroy();
  await once(child.stderr, 'close');
  child.stdin.end();
  assert.equal(await text(child.stdout), 'alive\n');
});

type Line = { n?: number; lines?: number };

// as: written by the program above, or by the log itself.
const readLine = (line: string) => JSON.parse(line) as Line;

type Context = { after: (clean: () => unknown) => void };

/** A pipe as a shell makes it; Node's own are sockets. */
async function openPipe(t: Context): Promise<{ reader: Socket; writer: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-log-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  const writer = openSync(path, 'w');
  t.after(() => closeSync(writer));
  t.after(() => reader.destroy());
  return { reader, writer };
}
