import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { hubCommit, hubListing, startHubServer } from '#test/hub-server.ts';
import { listModels, type Trainability } from '../list-models.ts';
import { openModels } from '../models-service.ts';
import { removeModel } from '../remove-model.ts';
import { modelErrorWith } from './model-error.fixture.ts';
import { type PullWeightsOptions, pullWeights } from './pull-weights.ts';
import type { TransferProgress } from './transfer-meter.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-weights-'));
after(() => rmSync(root, { recursive: true, force: true }));

const catalogueText = `
price_version: "1"
prices_since: "2026-01-01"
default_credits_per_gpu_minute: "0.03"
models:
  - id: some
    name: Some
    kind: text
    parameters: 1000
    license: Apache-2.0
    created: "2026-01-01"
    max_context_tokens: 512
    reasoning_efforts: []
    tools: false
    credits_per_gpu_minute: "0.03"
    training_credits_per_gpu_minute: "0.06"
    source: { hub: { repo: org/some-GGUF, file: some.gguf, revision: main, size_bytes: null, sha256: null } }
    training: { weights: { hub: { repo: org/some, revision: main } }, defaults: {} }
`;

type Files = Record<string, Buffer>;

const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
const shard = (fill: number) => Buffer.alloc(1_200_000, fill);
const index = { metadata: {}, weight_map: { a: shards[0], b: shards[0], c: shards[1] } };
const config = Buffer.from('{"model_type": "qwen3"}');
const sharded: Files = {
  'config.json': config,
  'tokenizer.json': Buffer.from('{}'),
  'model.safetensors.index.json': Buffer.from(JSON.stringify(index)),
  [shards[0]]: shard(1),
  [shards[1]]: shard(2),
};
const elsewhere: Files = {
  'README.md': Buffer.from('#'),
  'pytorch_model.bin': Buffer.from('pickle'),
  'onnx/x.json': config,
};

async function setUp(t: TestContext, files: Files = sharded, listed: Files = files) {
  const everything = { ...files, ...elsewhere };
  const hub = await startHubServer(
    ...Object.entries(everything).map(([name, bytes]) => ({ path: `/org/some/resolve/${hubCommit}/${name}`, bytes })),
  );
  t.after(() => hub.close());
  hub.answers.set('/api/models/org/some/revision/main?blobs=true', hubListing({ ...listed, ...elsewhere }));
  const folder = mkdtempSync(join(root, 'case-'));
  const cataloguePath = join(folder, 'catalogue.yaml');
  writeFileSync(cataloguePath, catalogueText);
  const models = openModels({ cataloguePath, dataDir: join(folder, 'data') });
  const progress: TransferProgress[] = [];
  const pull = (options: Partial<PullWeightsOptions> = {}) =>
    pullWeights(models, {
      id: 'some',
      endpoint: hub.url,
      signal: new AbortController().signal,
      retryDelaysMs: [1, 1, 1],
      stallMs: 2_000,
      onProgress: (report) => progress.push(report),
      ...options,
    });
  const place = join(folder, 'data/weights/some');
  const fetched = () => hub.requests.filter(({ host }) => host === 'store').length;
  return {
    hub,
    models,
    pull,
    progress,
    place,
    fetched,
    training: (): Trainability | undefined => listModels(models)[0]?.training,
  };
}

describe('pulling weights', { timeout: 300_000 }, () => {
  test('brings configuration, tokenizer and every shard, and nothing that would have to be unpickled', async (t) => {
    const { pull, place, progress, models, training } = await setUp(t);
    assert.equal(models.trainingProfile('some')?.weightsFolder, null);
    assert.equal(training(), 'both missing');
    const report = await pull();
    const sizeBytes = Object.values(sharded).reduce((sum, bytes) => sum + bytes.length, 0);
    assert.deepEqual(report, { outcome: 'pulled', id: 'some', folder: place, commit: hubCommit, sizeBytes });
    assert.deepEqual(readdirSync(place).toSorted(), [...Object.keys(sharded), 'fanfold-weights.json'].toSorted());
    for (const [name, bytes] of Object.entries(sharded)) assert.deepEqual(readFileSync(join(place, name)), bytes);
    assert.equal(models.trainingProfile('some')?.weightsFolder, place);
    assert.equal(training(), 'file missing');
    assert.deepEqual(
      readdirSync(join(place, '..')).toSorted(),
      ['.some.pull.lock', 'some'],
      'nothing else stays beside it',
    );
    const last = progress.at(-1);
    assert.deepEqual([last?.receivedBytes, last?.totalBytes], [2_400_000, 2_400_000], 'the shards are one transfer');
  });

  test('a second pull fetches nothing, and with force everything anew', async (t) => {
    const { pull, fetched } = await setUp(t);
    await pull();
    const first = fetched();
    assert.equal((await pull()).outcome, 'already_installed');
    assert.equal(fetched(), first);
    assert.equal((await pull({ force: true })).outcome, 'pulled');
    assert.equal(fetched(), 2 * first);
  });

  test('weights whose manifest is damaged are pulled anew', async (t) => {
    const { pull, place } = await setUp(t);
    await pull();
    writeFileSync(join(place, 'fanfold-weights.json'), '{"repo": "org/so');
    assert.equal((await pull()).outcome, 'pulled');
    assert.equal((await pull()).outcome, 'already_installed');
  });

  test('what breaks off shows nothing, and the next pull goes on behind the last byte', async (t) => {
    const { hub, pull, place, fetched, models } = await setUp(t);
    const well = { type: 'none' } as const;
    hub.misbehave(well, well, well, well, { type: 'cut', afterBytes: 700_000 });
    await assert.rejects(pull({ retryDelaysMs: [] }), modelErrorWith(/broke off/));
    assert.equal(existsSync(place), false);
    assert.equal(models.trainingProfile('some')?.weightsFolder, null);
    const before = fetched();
    await pull();
    assert.equal(fetched() - before, 1, 'only the rest of the second shard');
    const last = hub.requests.at(-1);
    const start = Number(/^bytes=(\d+)-$/.exec(last?.headers.range ?? '')?.[1]);
    assert.ok(start > 0 && start <= 700_000, `${start}`);
    assert.deepEqual(readFileSync(join(place, shards[1])), sharded[shards[1]]);
  });

  test('a small file that is another than listed, and a shard of another digest, install nothing', async (t) => {
    const other = { ...sharded, 'tokenizer.json': Buffer.from('[]') };
    const small = await setUp(t, sharded, other);
    await assert.rejects(small.pull(), modelErrorWith(/digest of tokenizer\.json is .*nothing was installed/));
    const large = await setUp(t, sharded, { ...sharded, [shards[1]]: shard(3) });
    await assert.rejects(large.pull(), modelErrorWith(/digest of .* is .*nothing was installed/));
    for (const { place } of [small, large]) assert.equal(existsSync(place), false);
  });

  test('repositories without safetensors, without a shard, or with code of their own are refused', async (t) => {
    const cases: [Files, RegExp][] = [
      [{ 'config.json': config }, /no weights in the safetensors format/],
      [{ 'tokenizer.json': config }, /no config\.json/],
      [{ ...sharded, 'config.json': Buffer.from('{"model_type": "x", "auto_map": {}}') }, /code of its own/],
      [
        { ...sharded, 'model.safetensors.index.json': Buffer.from('{"weight_map": {"a": "../../x.safetensors"}}') },
        /lacks the file "\.\.\/\.\.\/x\.safetensors"/,
      ],
    ];
    for (const [files, message] of cases) {
      const { pull, place } = await setUp(t, files);
      await assert.rejects(pull(), modelErrorWith(message));
      assert.equal(existsSync(place), false);
    }
  });

  test('without room for all shards nothing of them is begun', async (t) => {
    const { pull, fetched } = await setUp(t);
    await assert.rejects(pull({ freeBytes: async () => (64 << 20) + 1_000_000 }), modelErrorWith(/too little room/));
    assert.equal(fetched(), 3, 'the describing files only');
  });

  test('two pulls at once: one fetches, the other is told', async (t) => {
    const { pull } = await setUp(t);
    const results = await Promise.allSettled([pull(), pull()]);
    assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  test('a gated repository, a hub without such a listing and an unknown model are told in one line', async (t) => {
    const { hub, pull, place } = await setUp(t);
    hub.options.token = 'hf_x';
    await assert.rejects(pull(), modelErrorWith(/org\/some: it needs an access token \(HF_TOKEN\)/));
    assert.equal((await pull({ token: 'hf_x' })).outcome, 'pulled');
    rmSync(place, { recursive: true });
    hub.answers.set('/api/models/org/some/revision/main?blobs=true', { files: [] });
    await assert.rejects(pull({ token: 'hf_x' }), modelErrorWith(/does not list the files/));
    await assert.rejects(
      pull({ id: 'nothing' }),
      modelErrorWith(/no model "nothing" with weights to pull; it has some/),
    );
  });

  test('removing a model deletes weights that were pulled, and leaves those that a person put there', async (t) => {
    const { pull, models, place } = await setUp(t);
    await pull();
    const remove = () => removeModel(models, { id: 'some', listUsesOf: async () => [] });
    assert.equal((await remove()).deletedWeights, place);
    assert.equal(existsSync(place), false);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'config.json'), config);
    writeFileSync(join(place, 'model.safetensors'), 'x');
    assert.equal((await pull()).outcome, 'already_installed');
    await assert.rejects(remove(), modelErrorWith(/not installed/));
    assert.ok(existsSync(place));
    const draft = join(place, '..', '.some.partial');
    mkdirSync(draft);
    assert.equal((await remove()).deletedWeights, draft);
    assert.deepEqual([existsSync(draft), existsSync(place)], [false, true]);
  });
});
