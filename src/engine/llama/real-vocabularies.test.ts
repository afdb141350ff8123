import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { pythonProgram } from '#test/python.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { type RealTokenizerName, tokenizerFile, tokenizerMetadata } from '#test/real-tokenizers.ts';
import { root } from '#test/source-tree.ts';
import type { ToolDefinition } from '../port.ts';
import { examples } from '../text/formats/templates.fixture.ts';
import { openModel } from './binding.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';
import { createVocabulary } from './vocabulary.ts';

/** Whole vocabularies of model families on random weights, which choose any of the tokens that a grammar allows. */
const folder = mkdtempSync(join(tmpdir(), 'fanfold-vocabularies-'));
after(() => rmSync(folder, { recursive: true }));

const templateOf = (family: string) => examples.find((example) => example.family.startsWith(family))?.source ?? '';
const templates: Record<RealTokenizerName, string> = {
  'Llama 3.1': templateOf('Llama 3.1')
    .replaceAll('<|im_start|>{{ m.role }}\n', '<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n')
    .replaceAll(/<\|im_start\|>(\w+)\n/g, '<|start_header_id|>$1<|end_header_id|>\n\n')
    .replaceAll(/<\|im_end\|>\n?/g, '<|eot_id|>'),
  'gpt-oss': templateOf('gpt-oss'),
};

async function writeModel(name: RealTokenizerName): Promise<{ ggufPath: string; tokenizer: string }> {
  const tokenizer = await tokenizerFile(name);
  const { size, metadata } = tokenizerMetadata(name, tokenizer);
  const ggufPath = join(folder, `${name}.gguf`);
  const shape = { ...smallShape, vocabulary: size, format: 'F16' } as const;
  const model = { shape, seed: 5, kind: 'text', spread: 0.1, ends: true, template: templates[name] } as const;
  writeRandomModel(ggufPath, { ...model, tokenizer: metadata });
  return { ggufPath, tokenizer };
}

async function idsByTokenizers(tokenizer: string, texts: readonly string[]): Promise<number[][]> {
  const child = spawn(await pythonProgram('python'), [join(root, 'test/support/real-models/token_ids.py'), tokenizer]);
  child.stdin.end(JSON.stringify(texts));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.notEqual(output, '', errors);
  // as: the script writes this.
  return JSON.parse(output) as number[][];
}

const pieces = [
  ...[
    'The lamp',
    " isn't",
    ' COSTS',
    ' 1234567',
    '.50',
    '\n',
    '\n\n  ',
    '\t',
    '   ',
    ' ',
    'Ünï',
    'çà',
    '這盞燈',
    '東京',
  ],
  ...[
    'مصباح',
    ' Лампа',
    '🙂',
    '👩‍👩‍👧',
    'e\u0301',
    '한국어',
    'हिन्दी',
    '{"a": [1, 2]}',
    '</tool_call>',
    '<|',
    '|>',
    'x=y;',
    '\\"',
    '—',
    '…',
  ],
];
const texts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));

const cities = ['Zürich', '東京', 'São Paulo', '🙂 "x" \\ y', "N'Djamena"];
const weatherIn = (city: string): ToolDefinition => ({
  name: 'get_weather',
  description: null,
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string', enum: [city] },
      days: { type: 'integer', minimum: 1, maximum: 99 },
      precise: { type: 'boolean' },
    },
    required: ['city', 'days', 'precise'],
    additionalProperties: false,
  },
  strict: true,
});

for (const name of ['Llama 3.1', 'gpt-oss'] as const) {
  test(`with the vocabulary of ${name}, tokens are those of Hugging Face's tokenizers, and give the same bytes back`, async () => {
    const { ggufPath, tokenizer } = await writeModel(name);
    const native = await openModel({ path: ggufPath, gpu: false, maxThreads: 1, vocabOnly: true });
    try {
      const vocabulary = createVocabulary(native);
      const samples = [...pieces, ...fc.sample(texts, 200)];
      const expected = await idsByTokenizers(tokenizer, samples);
      // llama.cpp divides words of this vocabulary at combining marks, which its makers do not.
      for (const [at, sample] of samples.entries()) {
        const tokens = [...vocabulary.tokenize(sample, false)];
        if (name !== 'gpt-oss' || !/\p{M}/u.test(sample))
          assert.deepEqual(tokens, expected[at], JSON.stringify(sample));
        assert.equal(Buffer.concat(tokens.map(vocabulary.bytesOf)).toString(), sample);
      }
    } finally {
      await native.dispose();
    }
  });

  test(`with the vocabulary of ${name}, a forced call in its format has the exact bytes of its arguments`, async (t) => {
    const { ggufPath } = await writeModel(name);
    const child = await ChildDriver.start({ ...smallConfig, ggufPath });
    t.after(() => child.stop());
    assert.notEqual(child.format.calls, null);
    for (const [at, expected] of cities.entries()) {
      const prompt = userPrompt('Weather?', { tools: [weatherIn(expected)], toolChoice: { mode: 'required' } });
      const written = await child.write(prompt, { maxTokens: 400, temperature: 1, seed: at }, `${at}`);
      assert.equal(finishedOf(written).reason, 'tool_calls', JSON.stringify(written));
      const calls = written.deltas.flatMap((delta) => (delta.type === 'tool_call' ? [delta] : []));
      assert.ok(calls.length > 0 && written.content === '', JSON.stringify(written));
      for (const call of calls) {
        const { city, days, precise, ...rest } = JSON.parse(call.arguments);
        assert.deepEqual([call.name, city, typeof precise, rest], ['get_weather', expected, 'boolean', {}]);
        assert.ok(Number.isInteger(days) && days >= 1 && days <= 99, call.arguments);
      }
    }
  });
}
