import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { addModel } from '#models';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { writeMiniLm } from '#test/minilm-gguf.ts';
import { type Program, startProgram } from '#test/program.ts';
import { pythonProgram } from '#test/python.ts';
import { realModels } from '#test/real-models.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { root } from '#test/source-tree.ts';

/** all-MiniLM-L6-v2, a trained encoder with mean pooling, added to the running program without any flag. */
let database: TestDatabase;
let folder: string;
let program: Program;
let client: OpenAI;

before(async () => {
  const { miniLm } = await realModels();
  folder = await mkdtemp(join(tmpdir(), 'fanfold-minilm-'));
  const ggufPath = join(folder, 'all-minilm-l6-v2.gguf');
  writeMiniLm(miniLm, ggufPath);
  database = await createTestDatabase();
  const { kind } = await addModel(openShippedModels(folder), { id: 'all-minilm', ggufPath });
  assert.equal(kind, 'embedding');
  program = await startProgram({ databaseUrl: database.url, dataDir: folder });
  const baseURL = `${program.url}/api/projects/local/search/openai/v1`;
  client = new OpenAI({ baseURL, apiKey: program.key ?? '', maxRetries: 20 });
});

after(async () => {
  await program?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
  await database?.drop();
});

const sentences = [
  'The lamp has a warranty of two years.',
  'Does the lamp have a warranty?',
  'Die Lampe hat zwei Jahre Garantie.',
  'La lámpara tiene una garantía de dos años; ¿quién la paga?',
  'Ça dépend du déjà-vu naïf, n’est-ce pas ?',
  'Лампа имеет гарантию два года.',
  'Η λάμπα έχει εγγύηση δύο ετών.',
  '这盏灯有两年的保修期。',
  'このランプには2年間の保証があります。',
  'المصباح مكفول لمدة عامين.',
  'if (price > 19.99) return price * 0.8; // 20% off',
  'Great lamp!!! 💡 10/10',
];

type Reference = { vectors: number[][]; tokens: number[] };

async function byTransformers(texts: readonly string[]): Promise<Reference> {
  const [python, { miniLm }] = await Promise.all([pythonProgram('python'), realModels()]);
  const child = spawn(python, [join(root, 'test/support/real-models/minilm_vectors.py'), miniLm], {
    env: { ...process.env, HF_HUB_OFFLINE: '1' },
  });
  child.stdin.end(JSON.stringify(texts));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.notEqual(output, '', errors);
  // as: the script writes this.
  return JSON.parse(output) as Reference;
}

const product = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);

test('vectors and token counts of sentences in many languages are those of transformers', async () => {
  const expected = await byTransformers(sentences);
  for (const [at, sentence] of sentences.entries()) {
    const { data, usage } = await client.embeddings.create({
      model: 'all-minilm',
      input: sentence,
      encoding_format: 'float',
    });
    const vector = data[0]?.embedding ?? [];
    assert.equal(vector.length, 384);
    assert.equal(usage.prompt_tokens, expected.tokens[at], sentence);
    const cosine = product(vector, expected.vectors[at] ?? []);
    assert.ok(cosine > 0.9999, `${cosine} ${sentence}`);
  }
});

test('a question is nearer to its answer than to other texts', async () => {
  const [answer = [], question = [], ...others] = (
    await client.embeddings.create({ model: 'all-minilm', input: sentences.slice(0, 2) })
  ).data.map(({ embedding }) => embedding);
  const { data } = await client.embeddings.create({ model: 'all-minilm', input: sentences.slice(10) });
  assert.equal(others.length, 0);
  for (const { embedding } of data) assert.ok(product(question, answer) > product(question, embedding) + 0.3);
});
