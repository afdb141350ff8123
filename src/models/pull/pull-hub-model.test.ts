import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { zeros } from '#test/model-files.ts';
import { smallShape, splitMetadata, writeRandomModel, writeSplitModel } from '#test/random-model.ts';
import { writeRandomReranker } from '#test/random-reranker.ts';
import { removeModel } from '../remove-model.ts';
import { hubRepositories, plannerWithin } from './hub-repository.fixture.ts';
import { modelErrorWith } from './model-error.fixture.ts';

const { modelOf, setUp } = hubRepositories();
/** Three forms of a model, as repositories have them, and what else lies beside. */
const forms = {
  'README.md': Buffer.from('A model.'),
  'Some-Model-BF16.gguf': modelOf(4_000_000),
  'Some-Model-Q8_0.gguf': modelOf(2_000_000),
  'Some-Model-Q4_K_M.gguf': modelOf(1_000_000),
  'mmproj-Some-Model-F16.gguf': modelOf(9_000_000),
};
const noUses = { listUsesOf: async () => [] };

describe('a pull from the hub', { timeout: 300_000 }, () => {
  test('takes the largest quantisation, registers the model under the name of the repository, and needs no flag', async (t) => {
    const { pull, models, choices, folder } = await setUp(t, forms, { license: 'apache-2.0' });
    const report = await pull('hf.co/org/Some-Model-GGUF');
    const path = join(folder, 'some-model/Some-Model-Q8_0.gguf');
    assert.deepEqual([report.outcome, report.id, report.path], ['pulled', 'some-model', path]);
    assert.deepEqual(readFileSync(path), forms['Some-Model-Q8_0.gguf']);
    const model = models.find('some-model');
    assert.deepEqual([model?.kind, model?.license, model?.tools], ['text', 'apache-2.0', true]);
    assert.deepEqual([model?.source?.type, model?.installed?.ggufPath], ['hub', path]);
    assert.ok(models.baseModels().some(({ id }) => id === 'some-model'));
    assert.match(
      choices.join('\n'),
      /^Q8_0 of org\/Some-Model-GGUF, 2\.0\d MB: needs \d+ MB of memory with 8192 tokens/,
    );
  });

  test('takes what fits, says why, and what the larger ones need', async (t) => {
    const { pull, choices } = await setUp(t, forms);
    const report = await pull('org/Some-Model-GGUF', { planner: plannerWithin(123_000_000) });
    assert.equal(basename(report.path), 'Some-Model-Q4_K_M.gguf');
    assert.match(
      choices.join('\n'),
      /needs 12\d MB of memory.*models may take 123 MB\. It is the largest that fits; these do not: Q8_0 \(12\d MB\)\.$/,
    );
  });

  test('fetches nothing where nothing fits, unless it is named', async (t) => {
    const { pull, choices, hub } = await setUp(t, forms);
    const planner = plannerWithin(50_000_000);
    await assert.rejects(
      pull('org/Some-Model-GGUF', { planner }),
      modelErrorWith(
        /^No quantisation of org\/Some-Model-GGUF fits: the smallest, Q4_K_M, needs .*org\/Some-Model-GGUF:Q4_K_M$/,
      ),
    );
    assert.ok(hub.requests.every(({ host, headers }) => host === 'hub' || headers.range?.startsWith('bytes=0-')));
    assert.equal((await pull('org/Some-Model-GGUF:Q4_K_M', { planner })).outcome, 'pulled');
    assert.match(choices.join('\n'), /It does not fit and cannot be loaded here\.$/);
  });

  test('finds a quantisation however it is written, a file, and an address of the hub', async (t) => {
    const { pull, hub, models } = await setUp(t, forms);
    const { host } = new URL(hub.url);
    for (const [index, name] of [
      'org/Some-Model-GGUF:q4_k_m',
      'huggingface.co/org/Some-Model-GGUF:Q4_K_M',
      'https://huggingface.co/org/Some-Model-GGUF/blob/main/Some-Model-Q4_K_M.gguf?download=true',
      `http://${host}/org/Some-Model-GGUF/resolve/main/Some-Model-Q4_K_M.gguf`,
      'org/Some-Model-GGUF/some-model-q4_k_m.gguf',
      'org/Some-Model-GGUF@main:Q4_K_M',
      'hf.co/org/Some-Model-GGUF:Some-Model-Q4_K_M.gguf',
    ].entries()) {
      const id = `m${index}`;
      assert.equal(basename((await pull(name, { id })).path), 'Some-Model-Q4_K_M.gguf', name);
      assert.ok(models.find(id)?.installed, name);
    }
    await assert.rejects(
      pull('org/Some-Model-GGUF:Q5_K_M'),
      modelErrorWith(/has no quantisation "Q5_K_M"; it has BF16 \(4\.\d+ MB\), Q8_0 \(.*\), Q4_K_M \(.*\)\.$/),
    );
    await assert.rejects(pull('org/Some-Model-GGUF/mmproj-Some-Model-F16.gguf'), modelErrorWith(/has no model file/));
    await assert.rejects(pull('https://example.com/org/repo'), modelErrorWith(/HF_ENDPOINT names another hub/));
  });

  test('of another revision is that of the revision', async (t) => {
    const { pull } = await setUp(t, forms, { revision: 'refs/pr/1' });
    await assert.rejects(pull('org/Some-Model-GGUF'), modelErrorWith(/has no revision main/));
    assert.equal((await pull('org/Some-Model-GGUF', { revision: 'refs/pr/1' })).outcome, 'pulled');
    await assert.rejects(pull('org/Some-Model-GGUF@v1', { revision: 'v2' }), modelErrorWith(/give one of them/));
  });

  test('a second pull fetches nothing; another quantisation becomes a model beside it', async (t) => {
    const { pull, hub, models, folder } = await setUp(t, forms);
    await pull('org/Some-Model-GGUF:Q4_K_M');
    const count = hub.requests.length;
    const again = await pull('org/Some-Model-GGUF');
    assert.deepEqual([again.outcome, again.id], ['already_installed', 'some-model']);
    assert.equal(hub.requests.length, count, 'whatever is installed will do');
    assert.equal((await pull('some-model')).outcome, 'already_installed', 'its id stands for it');
    assert.equal((await pull('org/Some-Model-GGUF:Q4_K_M')).outcome, 'already_installed');
    assert.equal((await pull('org/Some-Model-GGUF:Q8_0')).id, 'some-model-q8_0');
    assert.deepEqual(
      models
        .engineModels()
        .map(({ id }) => id)
        .toSorted(),
      ['some-model', 'some-model-q8_0'],
    );
    await assert.rejects(
      pull('org/Some-Model-GGUF:BF16', { id: 'some-model' }),
      modelErrorWith(/is another model here/),
    );
    await pull('org/Some-Model-GGUF:BF16', { id: 'some-model', force: true });
    assert.deepEqual(readdirSync(join(folder, 'some-model')), ['Some-Model-BF16.gguf'], 'the former file goes');
    const removed = await removeModel(models, { id: 'some-model', ...noUses });
    assert.match(removed.deletedFile ?? '', /BF16/);
    assert.equal(existsSync(join(folder, 'some-model')), false);
    assert.equal(models.find('some-model'), undefined);
  });

  test('brings all parts of a split model, resumes between them, and registers the first', async (t) => {
    const part = (index: number) => splitMetadata({ index, count: 3, tensors: 3 });
    const bare = { 'tokenizer.ggml.tokens': undefined, 'general.architecture': undefined };
    const weights = (index: number) => [zeros(`blk.${index}.attn_q.weight`, [128, 2000])];
    const parts = Object.fromEntries(
      [0, 1, 2].map((index) => [
        `Q4_K_M/Some-Model-Q4_K_M-0000${index + 1}-of-00003.gguf`,
        modelOf(0, { metadata: { ...(index === 0 ? {} : bare), ...part(index) }, tensors: weights(index) }),
      ]),
    );
    const { pull, hub, models, choices, folder } = await setUp(t, {
      ...parts,
      'half-Q8_0-00001-of-00002.gguf': modelOf(9_000_000),
    });
    hub.misbehave({ type: 'none' }, { type: 'cut', afterBytes: 300_000 });
    await assert.rejects(pull('org/Some-Model-GGUF', { retryDelaysMs: [] }), modelErrorWith(/broke off/));
    assert.equal(models.find('some-model'), undefined);
    await assert.rejects(pull('org/Some-Model-GGUF', { retryDelaysMs: [], signal: AbortSignal.abort() }), /Stopped/);
    const report = await pull('org/Some-Model-GGUF');
    assert.match(report.path, /some-model\/Some-Model-Q4_K_M-00001-of-00003\.gguf$/);
    assert.match(choices.join('\n'), /3\.07 MB in 3 files/);
    assert.deepEqual(
      readdirSync(join(folder, 'some-model')).toSorted(),
      Object.keys(parts).map((name) => basename(name)),
    );
    const model = models.find('some-model');
    assert.deepEqual([model?.installed?.ggufPath, model?.parameters], [report.path, 3 * 128 * 2000]);
    const full = hub.requests.filter(({ host, headers }) => host === 'store' && headers.range === undefined);
    assert.equal(full.length, 3, 'no part is fetched twice');
  });

  test('that was interrupted can be removed', async (t) => {
    const { pull, hub, models, folder } = await setUp(t, forms);
    hub.misbehave({ type: 'cut', afterBytes: 300_000 });
    await assert.rejects(pull('org/Some-Model-GGUF', { retryDelaysMs: [] }), modelErrorWith(/broke off/));
    assert.equal((await removeModel(models, { id: 'some-model', ...noUses })).deletedFile, join(folder, 'some-model'));
    await assert.rejects(removeModel(models, { id: 'some-model', ...noUses }), modelErrorWith(/no model "some-model"/));
  });

  test('plans the memory of a split model as that of the same model in one file', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'fanfold-plan-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const shape = { ...smallShape, layers: 24, heads: 4, cacheHeads: 4 };
    const random = { shape, seed: 1, kind: 'text', spread: 0.2, ends: false } as const;
    const paths = writeSplitModel(folder, { ...random, count: 3 });
    const whole = join(folder, 'random.gguf');
    writeRandomModel(whole, random);
    const needOf = async (files: readonly string[]) => {
      const { pull, choices } = await setUp(
        t,
        Object.fromEntries(files.map((path) => [basename(path), readFileSync(path)])),
      );
      await pull('org/Some-Model-GGUF');
      return Number(/needs ([\d.]+) MB/.exec(choices.join())?.[1]);
    };
    const [split, single] = [await needOf(paths), await needOf([whole])];
    // The key-value cache alone has 101 MB.
    assert.ok(single > 200 && Math.abs(split - single) < single / 100, `${split} and ${single} MB`);
  });

  test('knows embedding models and rerankers by their headers, and refuses what cannot be served before it is fetched', async (t) => {
    const embedding = modelOf(1_000_000, { kind: 'embedding' });
    const { pull, models } = await setUp(t, { 'vectors-q8_0.gguf': embedding }, { repo: 'org/Vectors-GGUF' });
    assert.equal((await pull('vectors')).id, 'vectors');
    const model = models.find('vectors');
    assert.deepEqual([model?.kind, model?.dimensions, model?.queryInstruction], ['embedding', 128, 'query: {query}']);
    const path = join(mkdtempSync(join(tmpdir(), 'fanfold-ranker-')), 'r.gguf');
    t.after(() => rmSync(dirname(path), { recursive: true }));
    writeRandomReranker(path);
    const ranker = await setUp(t, { 'r-q8_0.gguf': readFileSync(path) });
    await ranker.pull('org/Some-Model-GGUF');
    assert.equal(ranker.models.find('some-model')?.kind, 'reranker');
    const reranker = await setUp(t, { 'r-q8_0.gguf': modelOf(9_000_000, { kind: 'embedding', pooling: 4 }) });
    await assert.rejects(reranker.pull('org/Some-Model-GGUF'), modelErrorWith(/no classification head/));
    const architecture = { 'general.architecture': { type: 'string', value: 'of-tomorrow' } } as const;
    const unknown = await setUp(t, { 'u-q8_0.gguf': modelOf(9_000_000, { metadata: architecture }) });
    await assert.rejects(
      unknown.pull('org/Some-Model-GGUF'),
      modelErrorWith(/has the architecture of-tomorrow, which .* does not know yet; nothing was fetched/),
    );
    const none = await setUp(t, { 'page.gguf': Buffer.from('<html>not a model</html>') });
    await assert.rejects(none.pull('org/Some-Model-GGUF'), modelErrorWith(/is not a GGUF file/));
    const other = await setUp(t, { 'model.safetensors': Buffer.from('x') });
    await assert.rejects(other.pull('org/Some-Model-GGUF'), modelErrorWith(/has no GGUF model.*models search/));
  });

  test('of an id of the library brings its repository, and what the library says of it', async (t) => {
    const { pull, models } = await setUp(
      t,
      { 'K-Q8_0.gguf': modelOf(2e6), 'K-Q4_0.gguf': modelOf(1e6) },
      { repo: 'org/Known-GGUF' },
    );
    assert.deepEqual(
      models.library().map(({ id }) => id),
      ['known', 'vectors'],
    );
    assert.deepEqual([models.find('known'), models.findKnown('known')?.installed], [undefined, null]);
    const report = await pull('known:q4_0');
    assert.equal(basename(report.path), 'K-Q4_0.gguf');
    const model = models.find('known');
    assert.deepEqual([model?.name, model?.license], ['Known Model', 'Apache-2.0']);
    assert.deepEqual(
      models.library().map(({ id }) => id),
      ['vectors'],
    );
    await assert.rejects(pull('knwon'), modelErrorWith(/no model "knwon" to pull\. Did you mean known\?/));
  });

  test('of the file that the catalogue names is the model of the catalogue', async (t) => {
    const files = { 'fixed-Q8_0.gguf': modelOf(512), 'fixed-Q4_0.gguf': modelOf(100) };
    const { pull, models } = await setUp(t, files, { repo: 'org/Fixed-GGUF' });
    assert.equal((await pull('org/Fixed-GGUF:Q4_0')).id, 'fixed-q4_0');
    await assert.rejects(
      pull('org/Fixed-GGUF:Q4_0', { id: 'fixed', force: true }),
      modelErrorWith(/^fixed is another model here; choose another --id\.$/),
    );
    await assert.rejects(pull('fixed:q4_0'), modelErrorWith(/name its repository: org\/Fixed-GGUF:q4_0$/));
    assert.equal((await pull('org/Fixed-GGUF:Q8_0')).id, 'fixed');
    assert.equal(models.find('fixed')?.rateMicroPerMinute, 50_000n);
    assert.equal((await pull('fixed')).outcome, 'already_installed');
  });

  test('says what opens a gated repository, and what a missing one may be', async (t) => {
    const { pull, hub } = await setUp(t, forms);
    hub.options.token = 'hf_secret';
    hub.options.isGated = true;
    await assert.rejects(
      pull('org/Some-Model-GGUF'),
      modelErrorWith(/is gated: accept its terms at http:\/\/127\.0\.0\.1:\d+\/org\/Some-Model-GGUF and set HF_TOKEN/),
    );
    await assert.rejects(
      pull('org/Some-Model-GGUF', { token: 'hf_other' }),
      modelErrorWith(/with the account of the access token/),
    );
    assert.equal((await pull('org/Some-Model-GGUF', { token: 'hf_secret' })).outcome, 'pulled');
    await assert.rejects(
      pull('org/none', { token: 'hf_secret' }),
      modelErrorWith(/has no repository org\/none, or .*models search/),
    );
  });

  test('of a repository with several models asks which', async (t) => {
    const { pull } = await setUp(t, { 'a-Q8_0.gguf': modelOf(1000), 'b-Q8_0.gguf': modelOf(2000) });
    await assert.rejects(
      pull('org/Some-Model-GGUF'),
      modelErrorWith(
        /has several models; name a file: org\/Some-Model-GGUF\/b-Q8_0\.gguf, org\/Some-Model-GGUF\/a-Q8_0\.gguf\.$/,
      ),
    );
    assert.equal((await pull('org/Some-Model-GGUF/a-Q8_0.gguf')).outcome, 'pulled');
  });
});
