import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { hubCommit, hubListing, startHubServer } from '#test/hub-server.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const model = readFileSync(join(root, 'models/tiny-chat/tiny-chat.gguf'));
const file = 'Tiny-Q8_0.gguf';

/** A command line with a data folder of its own, and a hub that has one model. */
async function setUp(t: TestContext) {
  const hub = await startHubServer({ path: `/org/Tiny-GGUF/resolve/${hubCommit}/${file}`, bytes: model });
  const listing = { ...hubListing({ [file]: model }), cardData: { license: 'apache-2.0' } };
  hub.answers.set('/api/models/org/Tiny-GGUF/revision/main?blobs=true', listing);
  const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-pull-command-'));
  t.after(async () => {
    await hub.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const fanfold = (...args: string[]) =>
    run(process.execPath, [join(root, 'src/main.ts'), 'models', ...args], {
      env: { ...process.env, HF_ENDPOINT: hub.url, FANFOLD_DATA_DIR: dataDir },
      timeout: 180_000,
    });
  return { hub, fanfold };
}

test('a model is searched for, pulled without a flag, listed, and removed', async (t) => {
  const { hub, fanfold } = await setUp(t);
  const fields = ['downloads', 'likes', 'lastModified', 'gated', 'tags'].map((field) => `expand=${field}`).join('&');
  const query = `search=tiny+model&filter=gguf&sort=downloads&direction=-1&limit=5&${fields}`;
  const found = { downloads: 12, likes: 3, lastModified: '2026-01-02T00:00:00.000Z', gated: false, tags: [] };
  hub.answers.set(`/api/models?${query}`, [{ id: 'org/Tiny-GGUF', ...found }]);
  const search = await fanfold('search', 'tiny', 'model', '--limit', '5');
  assert.equal(
    search.stdout,
    'REPO           DOWNLOADS  LIKES  UPDATED     LICENSE  GATED\norg/Tiny-GGUF  12         3      2026-01-02  -        no\n',
  );
  const { stdout, stderr } = await fanfold('pull', 'hf.co/org/Tiny-GGUF', '--id', 'tiny');
  assert.match(stdout, /^tiny is installed: \S+\/models\/tiny\/Tiny-Q8_0\.gguf, sha256 [0-9a-f]{64}\.\n$/);
  assert.match(stderr, /^Q8_0 of org\/Tiny-GGUF, 5\.59 MB: needs .* tokens of context, and models may take .*\.\n/);
  assert.match((await fanfold('pull', 'tiny')).stdout, /^tiny is installed already: /);
  const listed: unknown = JSON.parse((await fanfold('list', '--json')).stdout);
  assert.ok(Array.isArray(listed));
  const tiny: unknown = listed.find(({ id }) => id === 'tiny');
  assert.partialDeepStrictEqual(tiny, { kind: 'text', installed: true, from: 'hub', size_bytes: model.length });
  assert.match((await fanfold('remove', 'tiny', '--force')).stdout, /^tiny is removed, its file is deleted\.\n$/);
});

test('the models that can be pulled by an id are listed, and a wrong request says what helps', async (t) => {
  const { fanfold } = await setUp(t);
  const catalogue: unknown = JSON.parse((await fanfold('catalogue', '--json')).stdout);
  assert.ok(Array.isArray(catalogue) && catalogue.length > 50);
  const known: unknown = catalogue.find(({ id }) => id === 'qwen3-4b');
  assert.partialDeepStrictEqual(known, {
    kind: 'text',
    license: 'Apache-2.0',
    repo: 'Qwen/Qwen3-4B-GGUF',
    installed: false,
  });
  for (const [args, message] of [
    [['pull', 'qwen3-4x'], /Did you mean qwen3-4b\?/],
    [['pull', 'org/Tiny-GGUF:Q4_0'], /has no quantisation "Q4_0"; it has Q8_0/],
    [['pull', 'qwen3-0.6b', '--weights', '--id', 'x'], /--id and --revision are not for it/],
    [['pull', 'org/Tiny-GGUF', '--id', 'Not An Id'], /--id must be lower-case letters/],
    [['search', 'x', '--limit', '0'], /--limit must be a whole number from 1 to 100/],
  ] as const)
    await assert.rejects(fanfold(...args), (error) => {
      assert.ok(error instanceof Error && 'stderr' in error);
      assert.match(String(error.stderr), message);
      assert.match(String(error.stderr), /^[^\n]+\n$/, 'one line');
      return true;
    });
});
