import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readGgufHeader } from '#engine';
import { type Header, pairOf, safeTensors, type Weight, writeAdapter } from './adapter.fixture.ts';
import { type AdapterConversion, convertAdapter, readHeads } from './convert-adapter.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-convert-'));
after(() => rmSync(folder, { recursive: true }));
const query = 'model.layers.0.self_attn.q_proj';
const key = 'model.layers.0.self_attn.k_proj';
const up = 'model.layers.11.mlp.up_proj';
let made = 0;

type Wish = {
  config?: Record<string, unknown>;
  weights?: readonly Weight[];
  bytes?: Buffer;
  conversion?: Partial<AdapterConversion>;
};

async function convert({ config = {}, weights = pairOf(query, 4, 8), bytes, conversion = {} }: Wish) {
  made += 1;
  const peftFolder = writeAdapter(join(folder, `peft-${made}`), config, bytes ?? safeTensors(weights));
  const ggufPath = join(folder, `${made}.gguf`);
  const plain = { peftFolder, ggufPath, architecture: 'qwen3', provenance: { 'training.job': 'j1' } };
  return { ...(await convertAdapter({ ...plain, ...conversion })), ggufPath };
}

/** The numbers behind the header, tensor by tensor. */
function numbersOf(path: string, counts: readonly number[]): number[][] {
  const bytes = readFileSync(path);
  let at = bytes.length - counts.reduce((sum, count) => sum + Math.ceil((count * 4) / 32) * 32, 0);
  return counts.map((count) => {
    const numbers = Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + i * 4));
    at += Math.ceil((count * 4) / 32) * 32;
    return numbers;
  });
}

const counting = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('a converted adapter', () => {
  test('says what llama.cpp asks, has a digest, and is the same each time', async () => {
    const weights = [...pairOf(up, 4, 6), ...pairOf(query, 4, 8)];
    const { ggufPath, sha256, sizeBytes, rank } = await convert({ weights });
    const { values, tensorNames } = readGgufHeader(ggufPath);
    assert.equal(tensorNames.size, 4);
    assert.equal(values.get('general.type'), 'adapter');
    assert.equal(values.get('general.architecture'), 'qwen3');
    assert.equal(values.get('adapter.type'), 'lora');
    assert.equal(values.get('adapter.lora.alpha'), 4);
    assert.equal(values.get('fanfold.training.job'), 'j1');
    const bytes = readFileSync(ggufPath);
    assert.deepEqual([rank, sizeBytes, sha256], [2, bytes.length, createHash('sha256').update(bytes).digest('hex')]);
    assert.match(bytes.toString('latin1'), /blk\.0\.attn_q\.weight\.lora_a.*blk\.11\.ffn_up\.weight\.lora_b/s);
    assert.equal((await convert({ weights: weights.toReversed() })).sha256, (await convert({ weights })).sha256);
  });

  test('has the numbers of the original, whatever type they had', async () => {
    for (const type of ['F32', 'F16', 'BF16']) {
      const weights = pairOf(query, 4, 8).map((weight) => ({ ...weight, type }));
      const { ggufPath } = await convert({ weights });
      assert.deepEqual(numbersOf(ggufPath, [8, 16]), [counting(8), counting(16)], type);
    }
  });

  test('has layers of embedding models, whose names lack a part', async () => {
    const { ggufPath } = await convert({ weights: pairOf('layers.0.self_attn.q_proj', 4, 8) });
    assert.match(readFileSync(ggufPath, 'latin1'), /blk\.0\.attn_q\.weight\.lora_a/);
  });

  test('for llama has the rows of queries and keys in the order of its files', async () => {
    const weights = [...pairOf(query, 2, 8, 1), ...pairOf(key, 2, 4, 1)];
    writeFileSync(join(folder, 'config.json'), '{"num_attention_heads":2,"num_key_value_heads":1}');
    const conversion = { architecture: 'llama', heads: await readHeads(folder) };
    const { ggufPath } = await convert({ config: { r: 1 }, weights, conversion });
    const [, ofKeys, , ofQueries] = numbersOf(ggufPath, [2, 4, 2, 8]);
    assert.deepEqual(ofKeys, [1, 3, 2, 4]);
    assert.deepEqual(ofQueries, [1, 3, 2, 4, 5, 7, 6, 8]);
    await assert.rejects(
      convert({ config: { r: 1 }, weights, conversion: { architecture: 'llama' } }),
      /architecture llama/,
    );
  });
});

describe('an adapter is refused, and nothing is left behind,', () => {
  const refused: [string, Wish, RegExp][] = [
    ['when it is DoRA', { config: { use_dora: true } }, /use_dora is not supported/],
    ['when it has biases', { config: { bias: 'all' } }, /bias is not supported/],
    ['when it has whole modules', { config: { modules_to_save: ['lm_head'] } }, /modules_to_save/],
    ['when it asks for what is not known here', { config: { brand_new: 3 } }, /brand_new is not supported/],
    ['when it is no LoRA', { config: { peft_type: 'IA3' } }, /peft_type must be LORA/],
    ['when it tunes embeddings', { config: { target_modules: ['embed_tokens'] } }, /target_modules must be some of/],
    ['when its rank is too high', { config: { r: 300 } }, /r must be a whole number from 1 to 256/],
    ['when ranks or strengths differ', { config: { alpha_pattern: { q_proj: 1 } } }, /alpha_pattern is not supported/],
    ['when its strength is stabilised', { config: { use_rslora: true } }, /use_rslora is not supported/],
    ['when its rank is another', { config: { r: 3 } }, /rank 2 instead of 3/],
    ['when half of a layer is missing', { weights: pairOf(query, 4, 8).slice(0, 1) }, /only half of blk\.0\.attn_q/],
    ['when a layer is unknown', { weights: pairOf('model.lm_head', 4, 8) }, /not supported/],
    ['for an unknown architecture', { conversion: { architecture: 'gemma9' } }, /architecture gemma9/],
    [
      'when it holds infinity',
      { weights: pairOf(query, 1, 1, 2).map((w) => ({ ...w, values: [1 / 0, 1] })) },
      /not finite/,
    ],
  ];
  for (const [when, wish, reason] of refused) {
    test(when, async () => {
      const before = readdirSync(folder).filter((name) => name.includes('.gguf'));
      await assert.rejects(
        convert(wish),
        (error: Error) => error.name === 'AdapterError' && reason.test(error.message),
      );
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('.gguf')),
        before,
      );
    });
  }
});

describe('a weights file is refused', () => {
  const pair = pairOf(query, 4, 8);
  const changed = (change: (header: Header) => unknown) => safeTensors(pair, change);
  const shifted = (by: number) =>
    changed((header) => {
      const [first] = Object.values(header);
      if (first) first.data_offsets = first.data_offsets.map((offset) => offset + by);
      return header;
    });
  const refused: [string, Buffer, RegExp][] = [
    ['that is empty', Buffer.alloc(0), /no safetensors/],
    ['whose header is longer than the file', Buffer.alloc(32, 255), /cut short or too large/],
    ['that is cut short', safeTensors(pair).subarray(0, -4), /do not fill the file/],
    ['that is too long', Buffer.concat([safeTensors(pair), Buffer.alloc(4)]), /do not fill the file/],
    ['whose header is no JSON', Buffer.concat([Buffer.of(2, 0, 0, 0, 0, 0, 0, 0), Buffer.from('{x  ')]), /no JSON/],
    ['without tensors', changed(() => ({ __metadata__: { format: 'pt' } })), /no weights/],
    [
      'of pickled types',
      changed((header) => Object.fromEntries(Object.entries(header).map(([k, v]) => [k, { ...v, dtype: 'I64' }]))),
      /F32, F16 or BF16/,
    ],
    ['with holes', shifted(4), /one behind the other/],
    ['with negative places', shifted(-4), /impossible size/],
    [
      'with sizes past all bounds',
      changed((header) =>
        Object.fromEntries(Object.entries(header).map(([k, v]) => [k, { ...v, shape: [2 ** 40, 2 ** 40] }])),
      ),
      /impossible size/,
    ],
    [
      'whose shapes lie',
      changed((header) => Object.fromEntries(Object.entries(header).map(([k, v]) => [k, { ...v, shape: [1] }]))),
      /size of its shape/,
    ],
  ];
  for (const [when, bytes, reason] of refused) {
    test(when, async () => {
      await assert.rejects(
        convert({ bytes }),
        (error: Error) => error.name === 'AdapterError' && reason.test(error.message),
      );
    });
  }
});
