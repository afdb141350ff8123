import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { fileKeyOf, loadConfig, unknownVariables } from './config.ts';
import { settings } from './settings/settings.ts';

async function configFile(t: TestContext, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-config-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'fanfold.yaml');
  await writeFile(path, content);
  return path;
}

test('without any settings the server is private, on port 8787, with its data in ./data', () => {
  const config = loadConfig({});
  assert.deepEqual([config.host, config.port, config.databaseUrl], ['127.0.0.1', 8787, null]);
  assert.equal(config.dataDir, resolve('data'));
});

test('the environment wins over the file, the file over the defaults, and an empty variable is not set', async (t) => {
  const path = await configFile(
    t,
    'port: 9000\nengine_sequences: 4\ncors_origins: [https://a.example, https://b.example]\n',
  );
  const config = loadConfig({ FANFOLD_CONFIG: path, PORT: '9001', FANFOLD_ENGINE_SEQUENCES: '' });
  assert.equal(config.port, 9001);
  assert.equal(config.engineSequences, 4);
  assert.deepEqual(config.corsOrigins, ['https://a.example', 'https://b.example']);
  assert.equal(config.engineQueue, 1_000);
});

test('blanks around a value are none of it, and alone they are no value', () => {
  const config = loadConfig({ DATABASE_URL: 'postgres://a/b\n', FANFOLD_OIDC_NAME: ' Example ID ' });
  assert.deepEqual([config.databaseUrl, config.oidcName], ['postgres://a/b', 'Example ID']);
  assert.throws(() => loadConfig({ HOST: ' ' }), { message: 'HOST must be an address to listen on.' });
});

test('a value in the file that looks like a number is taken as it is written', async (t) => {
  const path = await configFile(
    t,
    'oidc_client_id: 0123\nhf_token: 1e3\ns3_region: 0x10\nengine_gpu: off\nport: 9000\n',
  );
  const { oidcClientId, hubToken, s3Region, engineGpu, port } = loadConfig({ FANFOLD_CONFIG: path });
  assert.deepEqual([oidcClientId, hubToken, s3Region, engineGpu, port], ['0123', '1e3', '0x10', 'off', 9000]);
});

test('a name in the file without a value is not set', async (t) => {
  const config = loadConfig({ FANFOLD_CONFIG: await configFile(t, 'database_url:\nport: ""\nhost: ~\n') });
  assert.deepEqual([config.databaseUrl, config.port, config.host], [null, 8787, '127.0.0.1']);
});

test('only the file that nobody named may be missing: one that cannot be read is told', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-config-'));
  const before = process.cwd();
  t.after(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true });
  });
  process.chdir(folder);
  assert.equal(loadConfig({}).port, 8787);
  await mkdir('fanfold.yaml');
  assert.throws(() => loadConfig({}), {
    name: 'OperatorError',
    message: /^The configuration file fanfold.yaml cannot be read/,
  });
});

test('the public address is kept as clients need it: with its path, without a slash at the end', () => {
  const read = (url: string) => loadConfig({ FANFOLD_PUBLIC_URL: url }).publicUrl;
  assert.equal(read('https://models.example'), 'https://models.example');
  assert.equal(read('https://models.example:8443/ai/'), 'https://models.example:8443/ai');
  assert.equal(loadConfig({}).publicUrl, null);
});

test('origins of desktop programs and extensions are origins, and a slash at the end is not read', () => {
  const read = (origins: string) => loadConfig({ FANFOLD_CORS_ORIGINS: origins }).corsOrigins;
  const own = [
    'app://obsidian.md',
    'tauri://localhost',
    'chrome-extension://abcdefghijklmnop',
    'https://a.example:8443',
  ];
  assert.deepEqual(read(own.join(', ')), own);
  assert.deepEqual(read('https://a.example/,tauri://localhost/'), ['https://a.example', 'tauri://localhost']);
});

test('a bad value is refused in one line that names the setting and what it may be', async (t) => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: '80a' }, /^PORT must be a port number/],
    [{ PORT: '70000' }, /^PORT must be/],
    [{ PORT: '-1' }, /^PORT must be/],
    [{ FANFOLD_LOG_LEVEL: 'loud' }, /^FANFOLD_LOG_LEVEL must be one of/],
    [{ FANFOLD_CORS_ORIGINS: 'app://a/path' }, /^FANFOLD_CORS_ORIGINS must be origins/],
    [{ FANFOLD_CORS_ORIGINS: 'file:///a' }, /^FANFOLD_CORS_ORIGINS must be origins/],
    [{ FANFOLD_CORS_ORIGINS: 'https://a.example/path' }, /^FANFOLD_CORS_ORIGINS must be origins/],
    [{ FANFOLD_PUBLIC_URL: 'models.example' }, /^FANFOLD_PUBLIC_URL must be an address/],
    [{ FANFOLD_PUBLIC_URL: 'https://a:b@models.example/?x' }, /^FANFOLD_PUBLIC_URL must be an address/],
    [{ FANFOLD_ENGINE_GPU: 'gpu' }, /^FANFOLD_ENGINE_GPU must be one of auto, off, cuda, cuda-ext, vulkan, metal\.$/],
    [{ HF_ENDPOINT: 'ftp://hub.example' }, /^HF_ENDPOINT must be the http address of a model hub/],
    [{ FANFOLD_CONFIG: '/nowhere/fanfold.yaml' }, /cannot be read/],
    [{ FANFOLD_CONFIG: await configFile(t, 'port: [') }, /not valid YAML/],
    [{ FANFOLD_CONFIG: await configFile(t, '- port') }, /must hold settings/],
    [{ FANFOLD_CONFIG: await configFile(t, 'prot: 1') }, /"prot", which does not exist; did you mean port\?$/],
    [
      { FANFOLD_CONFIG: await configFile(t, 'FANFOLD_SIGNUP: open') },
      /does not exist; in the file it is called signup\.$/,
    ],
    [{ FANFOLD_CONFIG: await configFile(t, 'port: many') }, /^port in .* must be a port number/],
    [{ FANFOLD_CONFIG: await configFile(t, 'host:\n  name: a') }, /^host in .* must be one value, or a list/],
    [{ FANFOLD_CONFIG: await configFile(t, 'cors_origins: [{ a: b }]') }, /^cors_origins in .* must be one value/],
  ];
  for (const [environment, message] of cases)
    assert.throws(
      () => loadConfig(environment),
      (error) => error instanceof Error && message.test(error.message) && !error.message.includes('\n'),
    );
});

test('a variable that looks like a setting and is none is told with what may have been meant', () => {
  const meant = { PORT: '1', FANFOLD_SIGNUP: 'open', FANFOLD_CONFIG: 'x', FANFOLD_KEY: 'fnf_', HOME: '/root' };
  assert.equal(unknownVariables(meant), null);
  assert.equal(
    unknownVariables({
      ...meant,
      FANFOLD_XYZZY: '',
      FANFOLD_ENGINE_SEQUENCE: '4',
      FANFOLD_MAX_DATASET: '',
      FANFOLD_PORT: '1',
    }),
    'There are no such settings: FANFOLD_ENGINE_SEQUENCE (did you mean FANFOLD_ENGINE_SEQUENCES?), ' +
      'FANFOLD_MAX_DATASET (did you mean FANFOLD_MAX_DATASETS?), FANFOLD_PORT (did you mean PORT?), FANFOLD_XYZZY.',
  );
});

test('the operating guide lists every setting with its name in the file and its default, and no other', async () => {
  const guide = await readFile(fileURLToPath(new URL('../docs/guides/operate.md', import.meta.url)), 'utf8');
  const rows = [...guide.matchAll(/^\| `([A-Z0-9_]+)` \| `([a-z0-9_]+)` \| ([^|]+) \|/gm)];
  assert.deepEqual(
    rows.map(([, env, key]) => [env, key]),
    Object.values(settings).map(({ env }) => [env, fileKeyOf(env)]),
  );
  const unset: readonly unknown[] = [null, []];
  for (const [index, { env, fallback, read }] of Object.values(settings).entries()) {
    const told = rows[index]?.[3] ?? '';
    const [, value] = /^`(.+)`$/.exec(told) ?? [];
    // What is no value is a word for none, or for what the machine or somebody else decides.
    if (value === undefined)
      assert.ok(
        unset.some((none) => isDeepStrictEqual(fallback, none)),
        `${env}: ${told}`,
      );
    else assert.deepEqual(read(value), fallback, `${env}: ${told}`);
  }
});
