import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { agentPrograms } from './programs.ts';

const main = path.join(import.meta.dirname, '../../main.ts');
const key = 'fnf_known';
let folder: string;
let url: string;

/** Answers what `launch` asks: alias and base model of the owner's project, and a project of somebody else. */
const server = createServer((request, response) => {
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (request.headers.authorization !== `Bearer ${key}`) return answer(401, {});
  const row = (alias: string, more: object) => ({ alias, source: 'alias', kind: 'text', state: 'active', ...more });
  const limits = (tokens: number) => ({ limits: { max_context_tokens: tokens } });
  if (request.url?.startsWith('/api/v1/projects/local/chat/hosted-models'))
    return answer(200, {
      data: [
        row('base', { source: 'base', ...limits(4_096) }),
        row('off', { state: 'inactive', ...limits(9) }),
        row('soon', { source: 'base', state: 'warming', ...limits(9) }),
        row("org/model:it's", limits(65_536)),
      ],
    });
  if (request.url === '/api/projects/ada/open/openai/v1/models') return answer(200, { data: [{ id: 'shared' }] });
  return answer(404, {});
});

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-launch-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

after(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

type Said = { code: number | null; out: string; said: string };

/** Runs `fanfold launch` in an empty folder, which has to stay empty. */
async function launch(words: readonly string[], env: Record<string, string> = { FANFOLD_API_KEY: key }): Promise<Said> {
  const cwd = await mkdtemp(path.join(folder, 'work-'));
  const child = spawn(process.execPath, [main, 'launch', ...words], {
    cwd,
    env: { PATH: '', HOME: cwd, FANFOLD_PUBLIC_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, said] = await Promise.all([
    child.stdout.setEncoding('utf8').toArray(),
    child.stderr.setEncoding('utf8').toArray(),
  ]);
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
  assert.deepEqual(await readdir(cwd), []);
  return { code, out: out.join(''), said: said.join('') };
}

/** A program of this name that tells its arguments, some variables and its file mode mask, and ends with 7. */
async function install(name: string): Promise<string> {
  const bin = path.join(folder, `bin-${name}`);
  await mkdir(bin, { recursive: true });
  const told = '{ args: process.argv.slice(2), env: process.env, umask: process.umask(), cwd: process.cwd() }';
  await writeFile(
    path.join(bin, name),
    `#!${process.execPath}\nconsole.log(JSON.stringify(${told})); process.exitCode = 7;\n`,
  );
  await chmod(path.join(bin, name), 0o755);
  return bin;
}

test('each program is told where to ask for which model, without the key', async () => {
  for (const { name } of agentPrograms) {
    const { code, out, said } = await launch([name]);
    assert.deepEqual([code, said], [0, ''], name);
    assert.match(
      out,
      name === 'claude' ? /\/api\/projects\/local\/chat\/anthropic/ : /\/api\/projects\/local\/chat\/openai\/v1/,
    );
    // Aliases come first; a quote in a name breaks no line.
    assert.ok(out.includes("org/model:it'\\''s"), out);
    assert.ok(!out.includes(key), name);
    assert.match(out, /FANFOLD_API_KEY/);
    assert.equal(/65536|16384/.test(out), name !== 'cline', name);
  }
});

test('a started program gets the settings, the arguments behind --, and the file mode mask of the user; its exit code is passed on', async () => {
  const PATH = await install('claude');
  const { code, out } = await launch(['claude', '--model', 'base', '--', '-p', 'Say "hi" --run'], {
    FANFOLD_API_KEY: key,
    PATH,
  });
  const { args, env, umask } = JSON.parse(out);
  assert.equal(code, 7);
  assert.deepEqual(args, ['-p', 'Say "hi" --run']);
  assert.deepEqual(
    [env.ANTHROPIC_BASE_URL, env.ANTHROPIC_AUTH_TOKEN, env.ANTHROPIC_MODEL, env.ANTHROPIC_API_KEY],
    [`${url}/api/projects/local/chat/anthropic`, key, 'base', ''],
  );
  assert.equal(umask, process.umask());
  assert.equal((await launch(['claude', '--run'], { FANFOLD_API_KEY: key, PATH })).code, 7);
});

test('started by npm, a program works in the folder of the user, without what npm has told', async () => {
  const PATH = await install('codex');
  const npm = { npm_lifecycle_event: 'fanfold', npm_config_local_prefix: '/elsewhere', INIT_CWD: PATH };
  const { out } = await launch(['codex', '--run'], { FANFOLD_API_KEY: key, PATH, ...npm });
  const { env, cwd } = JSON.parse(out);
  assert.equal(cwd, PATH);
  assert.deepEqual([env.npm_config_local_prefix, env.INIT_CWD, env.FANFOLD_API_KEY], [undefined, undefined, key]);
});

test('a program that keeps its settings in a file is not started without leave', async () => {
  const PATH = await install('cline');
  const refused = await launch(['cline', '--run'], { FANFOLD_API_KEY: key, PATH });
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.said, /^Nothing was written, and Cline was not started\./);
  const { code, out } = await launch(['cline', '--yes', '--run'], { FANFOLD_API_KEY: key, PATH });
  // The first command failed, so the second is not run.
  assert.equal(code, 7);
  assert.deepEqual(JSON.parse(out).args.slice(0, 4), ['auth', 'openai', '--apikey', key]);
});

test('what is missing is said in one line', async () => {
  const none = { FANFOLD_API_KEY: '' };
  const cases: [string[], RegExp, Record<string, string>?][] = [
    [['nix'], /^There is no program "nix"\. There are codex, claude, opencode, qwen, cline\.$/],
    [['codex', '--model', 'off'], /^There is no model off in local\/chat\. There are: org\/model:it's, base, soon$/],
    [['codex', '--project', 'chat'], /^--project must be account\/project/],
    [['codex', '--project', 'ada/none'], /^The project ada\/none has no model/],
    [['codex', '--url', 'here'], /^--url must be a URL/],
    [['codex', '--url', 'http://127.0.0.1:1'], /^Fanfold does not answer at http:\/\/127\.0\.0\.1:1\./],
    [['codex', '--run'], /^Codex is not installed\. Install it with: npm install -g @openai\/codex$/],
    [['codex'], /^The key in FANFOLD_API_KEY is not valid/, { FANFOLD_API_KEY: 'fnf_other' }],
    [['codex'], /^Set FANFOLD_API_KEY to the key that the first start printed/, none],
    [['codex', '--model', 'x', '--run'], /^Set FANFOLD_API_KEY to a key, for Codex to use\.$/, none],
  ];
  for (const [words, message, env] of cases) {
    const { code, out, said } = await launch(words, env);
    assert.deepEqual([code, out], [1, ''], words.join(' '));
    assert.match(said.trimEnd(), message);
  }
});

test("a model of somebody else's project and one that nobody was asked about have no known context, a short one is told", async () => {
  const other = await launch(['codex', '--project', 'ada/open']);
  assert.match(other.out, /model="shared"/);
  assert.doesNotMatch(other.out, /model_context_window/);
  assert.match((await launch(['codex', '--model', 'x'], {})).out, /model="x"/);
  assert.match(
    (await launch(['codex', '--model', 'base'])).said,
    /^base has a context of 4096 tokens\. Codex needs 32,768/,
  );
});
