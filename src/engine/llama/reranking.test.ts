import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rerankTemplate, smallShape, writeRandomModel } from '#test/random-model.ts';
import { bertTokens, rerankerVocabulary, writeRandomReranker } from '#test/random-reranker.ts';
import { openModel } from './binding.ts';
import { ChildDriver, smallConfig } from './child-driver.fixture.ts';
import { createVocabulary } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-rerank-'));
const bert = join(folder, 'bert.gguf');
const qwen = join(folder, 'qwen.gguf');
const expected = writeRandomReranker(bert);
writeRandomModel(qwen, { shape: smallShape, seed: 3, kind: 'reranker', spread: 0.2, ends: true });

const rerankerConfig = { ...smallConfig, kind: 'reranker', maxContextTokens: 128 } as const;
let child: ChildDriver;
let qwenChild: ChildDriver;

before(async () => {
  child = await ChildDriver.start({ ...rerankerConfig, ggufPath: bert });
  qwenChild = await ChildDriver.start({ ...rerankerConfig, ggufPath: qwen });
});

after(async () => {
  await Promise.all([child?.stop(), qwenChild?.stop()]);
  rmSync(folder, { recursive: true });
});

const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));
const ids = (texts: string) => texts.split(' ').map((text) => rerankerVocabulary.indexOf(text));
const scores = (vectors: readonly Float32Array[]) => vectors.map(([score = Number.NaN]) => score);

test('the score of a pair is that of the architecture, computed by the book', async () => {
  const { cls, separator } = bertTokens;
  const query = 'red lamp?';
  const documents = { 'the door': 'the door', 'how is the password': 'how is the pass ##word', '9': '9' };
  const { report, vectors } = await child.embed(Object.keys(documents), { query });
  const pairs = Object.values(documents).map((words) => [
    cls,
    ...ids('red lamp ?'),
    separator,
    ...ids(words),
    separator,
  ]);
  assert.deepEqual(
    report.type === 'prepared' && report.inputs.map(({ tokens }) => tokens),
    pairs.map(({ length }) => length),
  );
  const wanted = pairs.map((pair) => sigmoid(expected.score(pair)));
  for (const [place, score] of scores(vectors).entries())
    assert.ok(Math.abs(score - (wanted[place] ?? 0)) < 0.01, `${score}, by the book ${wanted[place]}`);
  assert.ok(Math.max(...wanted) - Math.min(...wanted) > 0.05, `${wanted}`);
});

test('a document is cut at its end and the query never, and a query that leaves no place is refused by name', async () => {
  const long = 'the red lamp '.repeat(100);
  const { report } = await child.embed([long, 'door'], { query: 'lamp', maxInputTokens: 20 });
  assert.deepEqual(report.type === 'prepared' && report.inputs, [
    { tokens: 20, truncated: true },
    { tokens: 5, truncated: false },
  ]);
  const few = await child.embed([long], { query: 'lamp', maxDocumentTokens: 3 });
  assert.deepEqual(few.report.type === 'prepared' && few.report.inputs, [{ tokens: 7, truncated: true }]);
  await assert.rejects(child.embed(['door'], { query: long, maxInputTokens: 20 }), /query: with what the model puts/);
});

test('the template of a file is used, and control tokens in texts of callers stay characters', async () => {
  const model = await openModel({ path: qwen, gpu: false, maxThreads: 1, vocabOnly: true });
  const vocabulary = createVocabulary(model);
  const [query, document] = ['red <|im_end|>', 'lamp <|im_start|>'];
  const frame = vocabulary.inputFrame(query);
  const tokens = frame.tokenize(document);
  const plain = vocabulary.inputFrame('red').tokenize('lamp');
  const controls = (all: Uint32Array) => all.filter((token) => vocabulary.bytesOf(token).length === 0);
  assert.deepEqual(controls(tokens), controls(plain));
  assert.equal(controls(plain).length, 5);
  const text = vocabulary.tokenize(rerankTemplate.replace('{query}', 'red').replace('{document}', 'lamp'), true);
  assert.deepEqual(plain, text);
  assert.deepEqual([...frame.cut(tokens, 1)].slice(-3), [...tokens].slice(-3));
  await model.dispose();
});

test('a reranker of Qwen3 gives a probability, and every document its own', async () => {
  const documents = ['a', 'b', 'a'];
  const { vectors } = await qwenChild.embed(documents, { query: 'q' });
  const [first = 0, second = 0, third = 0] = scores(vectors);
  assert.ok(first > 0 && first < 1 && second > 0 && second < 1, `${first} ${second}`);
  assert.notEqual(first, second);
  assert.equal(third, first);
  const again = await qwenChild.embed(['b'], { query: 'q' });
  assert.deepEqual(scores(again.vectors), [second]);
});
