import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hubCommit } from '#test/hub-server.ts';
import { writeSampleModel } from '#test/model-files.ts';
import { listModels } from '../list-models.ts';
import { removeModel, withPullLock } from '../remove-model.ts';
import { modelErrorWith } from './model-error.fixture.ts';
import { fileHub, ranges, sha256Of } from './pull-model.fixture.ts';

const { model, modelFile, setUp } = fileHub();

describe('pull', { timeout: 300_000 }, () => {
  test('fetches through the redirect, checks digest and size, and the model is installed', async (t) => {
    const { hub, models, pull, progress, notes, choices, path } = await setUp(t);
    assert.equal(models.find('some')?.installed, null);
    const report = await pull();
    assert.deepEqual(report, {
      outcome: 'pulled',
      id: 'some',
      path,
      sizeBytes: model.length,
      sha256: sha256Of(model),
      choice: null,
    });
    assert.deepEqual(readFileSync(path), model);
    assert.deepEqual(models.find('some')?.installed, { ggufPath: path, sha256: sha256Of(model) });
    assert.deepEqual(readdirSync(join(path, '..')), ['some-Q8_0.gguf'], 'nothing else stays in the folder');
    assert.equal(listModels(models)[0]?.sizeBytes, model.length);
    const last = progress.at(-1);
    assert.equal(last?.receivedBytes, model.length);
    assert.equal(last?.totalBytes, model.length);
    assert.deepEqual(notes, []);
    assert.match(
      choices.join('\n'),
      /^Q8_0 of org\/some-GGUF, 3\.08 MB: needs 1\d\d MB of memory with 512 tokens.*models may take [\d.]+ GB\.$/,
    );
    // The listing, the header and the whole file; the last two through the redirect.
    assert.equal(hub.requests.length, 5);
  });

  test('a second pull fetches nothing, and with force fetches again', async (t) => {
    const { hub, pull } = await setUp(t);
    await pull();
    assert.equal((await pull()).outcome, 'already_installed');
    assert.equal(hub.requests.length, 5);
    assert.equal((await pull({ force: true })).outcome, 'pulled');
    assert.equal(hub.requests.length, 10);
  });

  test('gives up after three retries without progress', async (t) => {
    const { hub, pull, notes } = await setUp(t);
    hub.misbehave(...Array.from({ length: 9 }, () => ({ type: 'status', status: 503 }) as const));
    await assert.rejects(pull(), modelErrorWith(/answered 503/));
    assert.equal(ranges(hub).length, 4);
    assert.equal(notes.length, 3);
  });

  test('a wrong digest is refused, nothing is installed and nothing is kept', async (t) => {
    const { hub, pull, path, models } = await setUp(t);
    hub.misbehave({ type: 'corrupt' });
    await assert.rejects(
      pull(),
      modelErrorWith(/digest of some-Q8_0\.gguf is [0-9a-f]{64}, not [0-9a-f]{64}; nothing was installed/),
    );
    assert.deepEqual(readdirSync(join(path, '..')), []);
    assert.equal(models.find('some')?.installed, null);
  });

  test('the digest and size of the catalogue win over the claims of the hub', async (t) => {
    const other = await setUp(t, { sha256: 'b'.repeat(64) });
    await assert.rejects(other.pull(), modelErrorWith(/another file than the catalogue: digest/));
    const longer = await setUp(t, { sizeBytes: model.length + 1 });
    await assert.rejects(longer.pull(), modelErrorWith(/another file than the catalogue: \d+ bytes/));
    const right = await setUp(t, { sha256: sha256Of(model), sizeBytes: model.length });
    assert.equal((await right.pull()).outcome, 'pulled');
    assert.deepEqual(right.notes, []);
  });

  test('a hub that names no digest is refused before a byte is fetched', async (t) => {
    const { hub, pull } = await setUp(t);
    const sibling = { rfilename: 'some-Q8_0.gguf', size: model.length };
    hub.answers.set('/api/models/org/some-GGUF/revision/main?blobs=true', { sha: hubCommit, siblings: [sibling] });
    await assert.rejects(pull(), modelErrorWith(/does not list the files of org\/some-GGUF/));
    assert.deepEqual(ranges(hub), []);
  });

  test('a store that sends more than was announced is stopped', async (t) => {
    const { hub, pull, path } = await setUp(t);
    hub.misbehave({ type: 'too_long' });
    await assert.rejects(pull(), modelErrorWith(/more than the \d+ bytes/));
    assert.deepEqual(readdirSync(join(path, '..')), []);
  });

  test('a file that is no model of this entry is not installed', async (t) => {
    const { replace, pull, path, models } = await setUp(t);
    replace(Buffer.from('<html>not a model, however long the page may be</html>'));
    await assert.rejects(pull(), modelErrorWith(/is not a GGUF file/));
    writeSampleModel(modelFile, { kind: 'embedding', dimensions: 64 });
    replace(readFileSync(modelFile));
    await assert.rejects(pull(), modelErrorWith(/makes 64 dimensions; some has 1024/));
    assert.deepEqual(readdirSync(join(path, '..')), []);
    assert.equal(models.find('some')?.installed, null);
  });

  test('refusals of the hub are told in one line and not tried again', async (t) => {
    for (const [status, message] of [
      [401, /refuses org\/some-GGUF\/some-Q8_0\.gguf: it needs an access token \(HF_TOKEN\)/],
      [403, /needs an access token/],
      [404, /has no file org\/some-GGUF\/some-Q8_0\.gguf at revision c0ffee0*/],
      [410, /answered 410/],
    ] as const) {
      const { hub, pull } = await setUp(t);
      hub.misbehave({ type: 'status', status });
      await assert.rejects(pull(), modelErrorWith(message));
      assert.equal(ranges(hub).length, 1);
    }
  });

  test('429 waits as long as the hub asks', async (t) => {
    const { hub, pull, notes } = await setUp(t);
    hub.misbehave({ type: 'status', status: 429, headers: { 'retry-after': '1' } });
    const startedMs = performance.now();
    await pull();
    assert.ok(performance.now() - startedMs >= 990);
    assert.match(notes[0] ?? '', /answered 429; trying again in 1 s/);
  });

  test('the token opens a gated repository and never reaches the store', async (t) => {
    const { hub, pull } = await setUp(t);
    hub.options.token = 'hf_secret';
    await assert.rejects(pull(), modelErrorWith(/needs an access token/));
    await assert.rejects(pull({ token: 'hf_wrong' }), modelErrorWith(/the access token \(HF_TOKEN\) does not open it/));
    await pull({ token: 'hf_secret' });
    const atStore = hub.requests.filter(({ host }) => host === 'store');
    assert.equal(atStore.length, 2);
    for (const { headers } of atStore) assert.equal(headers.authorization, undefined);
  });

  test('relative redirects are followed, endless ones and odd addresses are not', async (t) => {
    const { hub, pull } = await setUp(t);
    hub.options.redirects = 99;
    await assert.rejects(pull(), modelErrorWith(/more than 5 redirects/));
    hub.options.redirects = 1;
    for (const address of ['file:///etc/passwd', 'ftp://127.0.0.1/x']) {
      hub.options.redirectTo = address;
      await assert.rejects(pull(), modelErrorWith(/redirect from http: to (file|ftp): addresses/));
    }
    hub.options.redirectTo = null;
    hub.options.redirects = 3;
    await pull();
  });

  test('too little room on the disk is told before a byte is fetched', async (t) => {
    const { hub, pull } = await setUp(t);
    await assert.rejects(
      pull({ freeBytes: async () => 65_000_000 }),
      modelErrorWith(/too little room in .*3\.\d\d MB are to come/),
    );
    assert.deepEqual(ranges(hub), []);
  });

  test('of two pulls at once the second is refused, and the first ends well', async (t) => {
    const { pull, path } = await setUp(t);
    const results = await Promise.allSettled([pull(), pull()]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const refused = results.find((result) => result.status === 'rejected');
    assert.match(String(refused?.reason), /is being pulled by another command/);
    assert.deepEqual(readFileSync(path), model);
  });

  test('an unreachable hub and a wrong address are told in one line', async (t) => {
    const { hub, pull } = await setUp(t);
    await hub.close();
    await assert.rejects(
      pull(),
      modelErrorWith(/^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Check the network, .*HF_ENDPOINT/),
    );
    await assert.rejects(pull({ endpoint: 'huggingface' }), modelErrorWith(/not the address of a hub/));
    await assert.rejects(
      pull({ model: 'nothing' }),
      modelErrorWith(/no model "nothing" to pull\. .*models search WORD/),
    );
  });

  test('removing a pulled model deletes its file', async (t) => {
    const { models, pull, path } = await setUp(t);
    await pull();
    const removed = await removeModel(models, { id: 'some', listUsesOf: async () => [] });
    assert.equal(removed.deletedFile, path);
    assert.equal(existsSync(path), false);
    assert.equal(models.find('some')?.installed, null);
    mkdirSync(join(path, '..'), { recursive: true });
    assert.equal((await pull()).outcome, 'pulled');
  });

  test('removing a model waits for no pull of it, and deletes what an interrupted one has left', async (t) => {
    const { models, path } = await setUp(t);
    const remove = () => removeModel(models, { id: 'some', listUsesOf: async () => [] });
    const folder = join(path, '..');
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${path}.partial`, 'part');
    await withPullLock(models, 'some', () => assert.rejects(remove(), modelErrorWith(/some is being pulled/)));
    assert.equal((await remove()).deletedFile, folder);
    await assert.rejects(remove(), modelErrorWith(/not installed/));
  });
});
