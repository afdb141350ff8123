import assert from 'node:assert/strict';
import { type ChildProcess, execFile as execFileCallback, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { openDatabase } from '#db';
import { createTestDatabase } from '#test/database.ts';
import { startLossyPooler } from '#test/lossy-pooler.ts';
import { type Program, startProgram } from '#test/program.ts';

const execFile = promisify(execFileCallback);
const main = join(import.meta.dirname, '../../src/main.ts');

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-start-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

type Outcome = { code: number | null; stdout: string; stderr: string };

/** Runs a command of the program to its end. */
function runCommand(args: readonly string[], env: Record<string, string>): Promise<Outcome> {
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(process.execPath, [main, ...args], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk) => (outcome.stdout += chunk));
    child.stderr?.on('data', (chunk) => (outcome.stderr += chunk));
    child.once('close', (code) => resolve({ ...outcome, code }));
  });
}

function assertOneLine({ code, stdout, stderr }: Outcome, message: RegExp): void {
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, message);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
}

test('an installation of its own', async (t) => {
  const dataDir = await temporaryFolder(t);
  const env = { FANFOLD_DATA_DIR: dataDir };
  let key = '';

  await t.test(
    'prints at the first start a command that gets an answer from a model, and stops at SIGTERM with 0',
    async () => {
      const program = await startProgram({ dataDir });
      key = program.key ?? '';
      assert.match(key, /^fnf_/);
      assert.ok(program.output().includes(`There was no database in ${dataDir}: a new one was made.`));
      const command = /^curl [\s\S]+?\n\s+-d '.+'$/m.exec(program.output())?.[0] ?? '';
      let { stdout } = await execFile('sh', ['-c', command]);
      // A busy machine starts the model so slowly that the first caller is told to come back.
      for (let tries = 0; tries < 10 && /model_warming/.test(stdout); tries++)
        ({ stdout } = await execFile('sh', ['-c', command]));
      assert.match(stdout, /"object":"chat.completion"/);
      assert.match(stdout, /"finish_reason":"(stop|length)"/);
      assert.equal(await program.stop(), 0);
    },
  );

  let restarted: Program | null = null;
  t.after(() => restarted?.kill());
  await t.test('keeps everything over a restart and never shows the key again', async () => {
    const program = await startProgram({ dataDir });
    restarted = program;
    assert.equal(program.key, null);
    assert.doesNotMatch(program.output(), /fnf_|no database/);
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${program.url}/api/projects/local/search/openai/v1/models`, { headers });
    assert.equal(response.status, 200);
  });

  await t.test('serves again by itself after it was killed without warning', async (t) => {
    await restarted?.kill();
    const program = await startProgram({ dataDir });
    const response = await fetch(`${program.url}/api/v1/base-models`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(response.status, 200);

    await t.test('while commands use the running server', async () => {
      const created = await runCommand(['keys', 'create', '--name', 'second'], env);
      assert.equal(created.code, 0, created.stderr);
      assert.match(created.stdout, /^fnf_[0-9A-Za-z]{49}\n$/);
      const listed = await runCommand(['keys', 'list'], env);
      assert.match(listed.stdout, /First key/);
      assert.match(listed.stdout, /second/);
      assert.doesNotMatch(listed.stdout, new RegExp(key));
    });

    await t.test('while commands that cannot be done are refused in one line', async () => {
      assertOneLine(await runCommand(['keys', 'create', '--account', 'nobody'], env), /^There is no account "nobody"/);
      assertOneLine(await runCommand(['keys', 'delete', 'key_0'], env), /^There is no such key\.$/m);
      assertOneLine(await runCommand(['credits', 'grant', '-1'], env), /^The amount must be|^error: unknown option/);
      assertOneLine(await runCommand(['accounts', 'create', 'Not A Slug'], env), /^slug: expected/);
    });

    await t.test('while a second server on the same folder is refused in one line', async () => {
      assertOneLine(await runCommand(['serve'], env), /^The data folder .* is in use by another Fanfold process\.$/m);
    });

    await t.test('while a second server on the same port is refused in one line', async (t) => {
      const { port } = new URL(program.url);
      // A database that is there already: to make one takes longer than all else that is looked at here.
      const { url, drop } = await createTestDatabase();
      t.after(drop);
      const elsewhere = { FANFOLD_DATA_DIR: await temporaryFolder(t), DATABASE_URL: url, PORT: port };
      assertOneLine(
        await runCommand(['serve'], elsewhere),
        /^Port \d+ on 127\.0\.0\.1 is in use; choose another one with PORT\.$/m,
      );
    });
    assert.equal(await program.stop(), 0);
  });

  await t.test('takes commands when no server runs, and the books are right', async () => {
    const granted = await runCommand(['credits', 'grant', '2.5'], env);
    assert.match(granted.stdout, /^local has 1002\.[34]\d{5} credits\.$/m, granted.stderr);
    const doctor = await runCommand(['doctor'], env);
    assert.equal(doctor.code, 0, doctor.stdout + doctor.stderr);
    assert.match(doctor.stdout, /No problems found/);
  });
});

test('replicas that start together on an empty database furnish it once', async (t) => {
  const { database, url, drop } = await createTestDatabase();
  t.after(drop);
  await database.query('drop schema public cascade');
  await database.query('create schema public');
  const programs = await Promise.all([1, 2, 3].map(() => startProgram({ databaseUrl: url })));
  t.after(() => Promise.all(programs.map((program) => program.stop())));
  assert.equal(programs.filter(({ key }) => key !== null).length, 1);
  const [counts] = await database.query(`
    select (select count(*) from accounts) as accounts, (select count(*) from projects) as projects,
           (select count(*) from hosted_models) as aliases, (select count(*) from api_keys) as keys,
           (select sum(micro) from ledger)::bigint as micro`);
  assert.deepEqual(counts, { accounts: 1n, projects: 2n, aliases: 2n, keys: 1n, micro: 1_000_000_000n });
});

test('a start that cannot succeed is refused in one line with exit code 1', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { url, drop } = await createTestDatabase();
  const pooler = await startLossyPooler(url, 2);
  t.after(() => pooler.close().then(drop));
  const cases: [Record<string, string>, RegExp][] = [
    [{ FANFOLD_DATA_DIR: file }, /^The data folder .* cannot be written to: ENOTDIR\.$/m],
    [{ FANFOLD_DATA_DIR: '/proc/nothing' }, /^The data folder .* cannot be written to: ENOENT\.$/m],
    [{ FANFOLD_DATA_DIR: folder, PORT: 'http' }, /^PORT must be a port number/],
    [{ FANFOLD_DATA_DIR: folder, DATABASE_URL: 'localhost' }, /^The database URL is not of the form/],
    [
      { FANFOLD_DATA_DIR: folder, DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' },
      /cannot be reached: connect ECONNREFUSED/,
    ],
    [{ FANFOLD_DATA_DIR: folder, DATABASE_URL: await oldServer(t) }, /is version 15\.4; Fanfold needs 16 or newer/],
    [{ FANFOLD_DATA_DIR: folder, DATABASE_URL: pooler.url }, /pooler .* loses prepared statements\. .*1\.21/],
  ];
  for (const [env, message] of cases) assertOneLine(await runCommand(['serve'], env), message);
});

/** Speaks just enough of PostgreSQL's protocol to say that it is version 15. */
async function oldServer(t: TestContext): Promise<string> {
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value & 65_535)]);
  const text = (value: string) => Buffer.from(`${value}\0`);
  const ready = message('Z', Buffer.from('I'));
  const column = [int16(1), text('server_version'), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
  const answer = [
    message('T', ...column),
    message('D', int16(1), int32(4), Buffer.from('15.4')),
    message('C', text('SHOW')),
    ready,
  ];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready]));
      socket.on('data', (data) => (data[0] === 0x58 ? socket.end() : socket.write(Buffer.concat(answer))));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return `postgres://u:p@127.0.0.1:${address.port}/x`;
}

test('a database whose user or name is wrong is refused in one line', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const wrongName = new URL(url);
  wrongName.pathname = '/nowhere';
  await assert.rejects(openDatabase({ url: wrongName.href, maxConnections: 1 }), /has no such database/);
});

test('a start that fails when all has begun already ends what has begun, and is refused in one line', async (t) => {
  const folder = await temporaryFolder(t);
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address);
  const taken = { FANFOLD_OPERATOR_PORT: String(address.port) };
  const env = { FANFOLD_DATA_DIR: folder, DATABASE_URL: url, FANFOLD_LOG_LEVEL: 'warn', ...taken };
  assertOneLine(
    await runCommand(['serve'], env),
    /^The operator port \d+ on 127\.0\.0\.1 cannot be opened \(listen EADDRINUSE\b.*\); see FANFOLD_OPERATOR_PORT/,
  );
});

test('a command that meets a full disk of the database says so in one line', async (t) => {
  const folder = await temporaryFolder(t);
  const { url, database, drop } = await createTestDatabase();
  t.after(drop);
  await database.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  await database.query('create trigger refuse before insert on accounts execute function refuse()');
  const ended = await runCommand(['accounts', 'create', 'ada'], { FANFOLD_DATA_DIR: folder, DATABASE_URL: url });
  assertOneLine(ended, /^The disk of the database is full\.$/m);
});
