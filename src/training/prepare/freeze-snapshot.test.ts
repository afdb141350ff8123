import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EmbeddingContent, TextContent } from '#datasets';
import { createExampleEncoder, type ExampleEncoder } from '#engine';
import { type ObjectStore, openFolderStore } from '#objects';
import { freezeSnapshot, type SnapshotInput } from './freeze-snapshot.ts';
import type { SplitExample } from './samples.ts';
import { removeSnapshot, type SnapshotFileName, SnapshotRefused, snapshotKeys } from './snapshot.ts';

let root: string;
let objects: ObjectStore;
let encoder: ExampleEncoder;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fanfold-snapshots-'));
  objects = openFolderStore(join(root, 'objects'));
  encoder = createExampleEncoder({ environment: process.env, log: () => {} });
});
after(async () => {
  await encoder.close();
  await rm(root, { recursive: true });
});

const installed = (name: string) => ({
  ggufPath: fileURLToPath(new URL(`../../../models/${name}/${name}.gguf`, import.meta.url)),
  sha256: 'b'.repeat(64),
});
const chat: SnapshotInput['base'] = { id: 'fanfold-tiny-chat', kind: 'text', installed: installed('tiny-chat') };
const embed: SnapshotInput['base'] = {
  id: 'fanfold-tiny-embed',
  kind: 'embedding',
  installed: installed('tiny-embed'),
};
const settings = { maxSequenceLength: 512, queryInstruction: null, testRatio: null, seed: 7 };

function talk(n: number, change: Partial<SplitExample> = {}): SplitExample {
  const content: TextContent = {
    messages: [
      { role: 'user', content: `What is ${n}?` },
      { content: `It is ${n}.`, role: 'assistant' },
    ],
    tools: null,
  };
  return { id: `exm_${n}`, split: 'train', content, ...change };
}

function search(n: number, change: Partial<EmbeddingContent> = {}): SplitExample {
  const passage = (words: string) => ({ document_id: null, text: words });
  const content: EmbeddingContent = {
    negatives: [passage('a blue cup')],
    positives: [passage(`lamp ${n}`), passage('a red lamp')],
    query: `lamp number ${n}`,
    ...change,
  };
  return { id: `exm_${n}`, split: 'train', content };
}

const freeze = (examples: readonly SplitExample[], change: Partial<SnapshotInput> = {}) =>
  freezeSnapshot({
    examples: Readable.from([examples.slice(0, 3), examples.slice(3)]),
    base: chat,
    settings,
    encoder,
    objects,
    draftFolder: join(root, 'drafts'),
    ...change,
  });

const storedManifest = async (sha256: string) =>
  JSON.parse(await text(await objects.get(snapshotKeys(sha256).manifest)));

const linesOf = async (sha256: string, file: SnapshotFileName) =>
  (await text(await objects.get(snapshotKeys(sha256)[file])))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const range = (length: number) => Array.from({ length }, (_, n) => n);

test('a snapshot holds tokens with what is trained of them, the examples, and what it was made of', async () => {
  const examples = [...range(9).map((n) => talk(n)), talk(9, { split: 'test' })];
  const manifest = await freeze(examples);
  const train = await linesOf(manifest.sha256, 'train');
  assert.deepEqual(
    train.map(({ id }) => id),
    range(9).map((n) => `exm_${n}`),
  );
  for (const { ids, mask } of train) {
    assert.ok(ids.length > 10 && ids.every(Number.isInteger));
    assert.equal(mask.length, 1);
    assert.equal(mask[0][1], ids.length);
  }
  const held = await linesOf(manifest.sha256, 'eval');
  assert.deepEqual(
    held.map(({ id }) => id),
    ['exm_9'],
  );
  assert.deepEqual((await linesOf(manifest.sha256, 'raw'))[9], { ...examples[9] });

  const { counts, files } = manifest;
  const total = train.reduce((sum, { ids }) => sum + ids.length, 0);
  const trained = train.reduce((sum, { mask: [[start, end]] }) => sum + end - start, 0);
  assert.deepEqual(counts, {
    examples: 10,
    train: 9,
    eval: 1,
    dropped: { too_long: 0 },
    truncated: 0,
    trainedTokens: trained,
    contextTokens: total - trained,
    evalTokens: held[0].ids.length,
    longest: Math.max(...[...train, ...held].map(({ ids }) => ids.length)),
  });
  for (const file of ['train', 'eval', 'raw'] as const) {
    const bytes = await buffer(await objects.get(snapshotKeys(manifest.sha256)[file]));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual([files[file].bytes, files[file].sha256], [bytes.length, sha256]);
  }
  assert.deepEqual(await storedManifest(manifest.sha256), manifest);
  assert.deepEqual(await readdir(join(root, 'drafts')), []);
});

test('the same examples give the same snapshot, and any other setting another one', async () => {
  const examples = range(250).map((n) => talk(n));
  const first = await freeze(examples);
  assert.deepEqual(await freeze(examples, { examples: Readable.from([examples]) }), first);
  const others = await Promise.all([
    freeze(examples.slice(1)),
    freeze(examples, { settings: { ...settings, maxSequenceLength: 511 } }),
    freeze(examples, { settings: { ...settings, seed: 8 } }),
    freeze(examples, { asOf: new Date(0) }),
    freeze(examples, { base: { ...chat, installed: { ...installed('tiny-chat'), sha256: 'c'.repeat(64) } } }),
  ]);
  assert.equal(new Set([first, ...others].map(({ sha256 }) => sha256)).size, 6);
});

test('what is held out is told by what an example says, so that later ones move none, and other ids change nothing', async () => {
  const held = async (count: number) => {
    const { sha256 } = await freeze(
      range(count).map((n) => talk(n)),
      { settings: { ...settings, testRatio: 0.2 } },
    );
    return (await linesOf(sha256, 'eval')).map(({ id }) => id);
  };
  const few = await held(150);
  const more = await held(200);
  assert.ok(few.length > 15 && few.length < 50, String(few.length));
  assert.deepEqual(more.slice(0, few.length), few);
  const renamed = await freeze(
    range(150).map((n) => talk(n, { id: `exm_${1_000 + n}` })),
    { settings: { ...settings, testRatio: 0.2 } },
  );
  const numbers = (await linesOf(renamed.sha256, 'eval')).map(({ id }) => Number(id.slice(4)) - 1_000);
  assert.deepEqual(
    numbers.map((n) => `exm_${n}`),
    few,
  );
  const same = await freeze([search(1), { ...search(1), id: 'exm_other' }, search(2), search(3)], {
    base: embed,
    settings: { ...settings, testRatio: 0.5, seed: 3 },
  });
  const sides = [await linesOf(same.sha256, 'train'), await linesOf(same.sha256, 'eval')];
  const side = (id: string) => sides.findIndex((lines) => lines.some((line) => line.id === id));
  assert.equal(side('exm_1'), side('exm_other'));
});

test('an example to embed is a pair for each text that its query should find, the instruction in front of queries', async () => {
  const queryInstruction = 'Find the thing';
  const manifest = await freeze([search(1), search(2, { negatives: [], query: 'lamp '.repeat(600) })], {
    base: embed,
    settings: { ...settings, queryInstruction },
  });
  assert.equal(manifest.kind, 'embedding');
  assert.deepEqual([manifest.counts.train, manifest.counts.truncated, manifest.counts.longest], [4, 1, 512]);
  const lines = await linesOf(manifest.sha256, 'train');
  const [encoded] = await encoder.encode(
    embed.installed?.ggufPath ?? '',
    [
      {
        type: 'inputs',
        texts: ['Instruct: Find the thing\nQuery:lamp number 1', 'lamp 1', 'a red lamp', 'a blue cup'],
      },
    ],
    { maxTokens: 512, nowMs: 0 },
  );
  assert.ok(encoded?.type === 'inputs');
  const [q, first, second, negative] = encoded.inputs.map((ids) => [...ids]);
  assert.deepEqual(lines.slice(0, 2), [
    { id: 'exm_1', q, p: first, n: [negative] },
    { id: 'exm_1', q, p: second, n: [negative] },
  ]);
  assert.deepEqual(lines[2].n, []);
});

test('examples that cannot be learnt are left out, counted and named; where nothing remains nothing is frozen', async () => {
  const silent = { messages: [{ role: 'assistant', content: 'Hello' }], tools: null } satisfies TextContent;
  const bad = range(30).map((n) => talk(n, { id: `exm_bad_${n}`, content: silent }));
  const rest = await freeze([talk(1), ...bad]);
  assert.deepEqual([rest.counts.examples, rest.counts.train, rest.counts.dropped.not_learnable], [31, 1, 30]);
  assert.equal(rest.problems?.length, 20);
  assert.match(rest.problems?.[0]?.reason ?? '', /No message stands before an answer/);
  assert.deepEqual(
    (await linesOf(rest.sha256, 'raw')).map(({ id }) => id),
    ['exm_1'],
  );
  const partly: TextContent = {
    messages: [
      { role: 'system', content: 's' },
      { role: 'assistant', content: 'Hello' },
      ...(talk(2).content as TextContent).messages,
    ],
    tools: null,
  };
  const most = await freeze([talk(1), talk(2, { content: partly })]);
  assert.deepEqual([most.counts.train, most.counts.dropped.not_learnable, most.problems?.length], [2, 1, 1]);
  const measured = await freeze([talk(1)], {
    control: { examples: Readable.from([[...bad, talk(2)]]), replayRatio: 0 },
  });
  assert.deepEqual(measured.control, {
    replayRatio: 0,
    examples: 31,
    control: 1,
    replay: 0,
    tooLong: 0,
    notLearnable: 30,
  });

  const before = await readdir(join(root, 'objects/training/snapshots'));
  await assert.rejects(freeze(bad), (error) => {
    assert.ok(error instanceof SnapshotRefused);
    assert.match(error.message, /30 of 30 cannot be learned from\. The first: No message stands before an answer/);
    assert.equal(error.total, 30);
    assert.equal(error.problems.length, 20);
    assert.equal(error.problems[0]?.exampleId, 'exm_bad_0');
    return true;
  });
  await assert.rejects(freeze([]), /There is no example to train on/);
  await assert.rejects(freeze([talk(1)], { settings: { ...settings, maxSequenceLength: 8 } }), /longer than 8 tokens/);
  await assert.rejects(freeze([talk(1)], { base: { ...chat, installed: null } }), { fault: 'model_not_installed' });
  assert.deepEqual(await readdir(join(root, 'objects/training/snapshots')), before);
  assert.deepEqual(await readdir(join(root, 'drafts')), []);
});

test('a snapshot that a crash left without its end is made whole, and one that is removed is gone', async () => {
  const examples = [talk(100), talk(101)];
  const manifest = await freeze(examples);
  await objects.remove(snapshotKeys(manifest.sha256).manifest);
  await objects.remove(snapshotKeys(manifest.sha256).train);
  assert.deepEqual(await freeze(examples), manifest);
  assert.equal((await linesOf(manifest.sha256, 'train')).length, 2);
  await removeSnapshot(objects, manifest.sha256);
  await assert.rejects(storedManifest(manifest.sha256), { fault: 'artifact_not_found' });
});

test('a control set is frozen beside what is learned: all of it to measure, or a part to learn along', async () => {
  const examples = range(6).map((n) => talk(n));
  const set = [...range(40).map((n) => talk(100 + n)), talk(200, { split: 'test' })];
  const controlOf = (replayRatio: number) => ({ examples: Readable.from([set]), replayRatio });
  const plain = await freeze(examples);
  const measured = await freeze(examples, { control: controlOf(0) });
  assert.notEqual(measured.sha256, plain.sha256);
  assert.deepEqual(measured.control, { replayRatio: 0, examples: 41, control: 41, replay: 0, tooLong: 0 });
  assert.deepEqual([plain.control, plain.files.control, measured.files.replay], [undefined, undefined, undefined]);
  assert.deepEqual(await linesOf(measured.sha256, 'train'), await linesOf(plain.sha256, 'train'));

  const replayed = await freeze(examples, { control: controlOf(0.25) });
  const ids = async (file: SnapshotFileName) => (await linesOf(replayed.sha256, file)).map(({ id }) => String(id));
  const [control, replay] = [await ids('control'), await ids('replay')];
  assert.deepEqual([...control, ...replay].toSorted(), set.map(({ id }) => id).toSorted());
  assert.ok(control.includes('exm_200') && control.length < replay.length);
  assert.equal((await freeze(examples, { control: controlOf(0.25) })).sha256, replayed.sha256);
  await removeSnapshot(objects, replayed.sha256);
  assert.equal(await objects.size(snapshotKeys(replayed.sha256).control), null);
});

test('a control set of which nothing can be measured is refused', async () => {
  const long = talk(1, {
    content: {
      messages: [
        { role: 'user', content: 'x'.repeat(5_000) },
        { role: 'assistant', content: 'y' },
      ],
      tools: null,
    },
  });
  const control = { examples: Readable.from([[long]]), replayRatio: 0 };
  await assert.rejects(freeze([talk(0)], { control }), (error: unknown) => {
    assert.ok(error instanceof SnapshotRefused);
    assert.match(error.message, /regression check has no example to measure/);
    return true;
  });
});
