import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#test/properties.ts';
import type { ListedFile } from './hub-listing.ts';
import { findVariants, variantsOf } from './hub-variants.ts';

const listed = (...files: [name: string, sizeBytes: number][]) =>
  new Map(
    files.map(([name, sizeBytes]): [string, ListedFile] => [
      name,
      { name, sizeBytes, digest: { algorithm: 'sha256', value: 'a'.repeat(64) } },
    ]),
  );
const anything = { file: null, quantisation: null };

describe('the forms of a model in a repository', () => {
  test('are known by their names, however publishers write them', () => {
    const names = {
      'Qwen3-0.6B-Q8_0.gguf': 'Q8_0',
      'smollm2-1.7b-instruct-q4_k_m.gguf': 'Q4_K_M',
      'nomic-embed-text-v1.5.f16.gguf': 'F16',
      'gte-base_fp32.gguf': 'FP32',
      'gpt-oss-20b-mxfp4.gguf': 'MXFP4',
      'gemma-4-26B-A4B-it-MXFP4_MOE.gguf': 'MXFP4_MOE',
      'Qwen3.5-4B-UD-Q4_K_XL.gguf': 'UD-Q4_K_XL',
      'Qwen3.8-27B-UD-IQ2_XXS.gguf': 'UD-IQ2_XXS',
      'Llama-3.2-3B-Instruct-Q4_0_4_4.gguf': 'Q4_0_4_4',
      'Llama-3.2-3B-Instruct-Q6_K_L.gguf': 'Q6_K_L',
      'IQ4_NL/model.gguf': 'IQ4_NL',
      'model-Q5_K_M-imat.gguf': 'Q5_K_M',
      'model-TQ1_0.gguf': 'TQ1_0',
      'model.gguf': null,
    };
    for (const [name, quantisation] of Object.entries(names))
      assert.equal(variantsOf(listed([name, 1]))[0]?.quantisation, quantisation, name);
  });

  test('are whole models: no encoders, drafters, matrices, and no split ones that lack a part', () => {
    const files = listed(
      ['m-Q8_0.gguf', 10],
      ['mmproj-m-F16.gguf', 90],
      ['m.mmproj-Q8_0.gguf', 90],
      ['MTP/m-MTP-Q8_0.gguf', 90],
      ['mtp-m-Q8_0.gguf', 90],
      ['m-imatrix.gguf', 90],
      ['imatrix_unsloth.gguf_file', 90],
      ['README.md', 90],
      ['BF16/m-BF16-00001-of-00002.gguf', 20],
      ['BF16/m-BF16-00002-of-00002.gguf', 21],
      ['Q6_K/m-Q6_K-00001-of-00002.gguf', 20],
    );
    const found = variantsOf(files).map(({ name, sizeBytes, files: parts }) => [name, sizeBytes, parts.length]);
    assert.deepEqual(found, [
      ['BF16/m-BF16-00001-of-00002.gguf', 41, 2],
      ['m-Q8_0.gguf', 10, 1],
    ]);
  });

  test('are those of the model that has the name of the repository, quantised where there is one', () => {
    const variants = variantsOf(
      listed(
        ['Some_Model-Q8_0.gguf', 10],
        ['some-model-q4_0.gguf', 5],
        ['Some-Model.BF16.gguf', 20],
        ['draft-Q8_0.gguf', 1],
      ),
    );
    const names = (choice: Partial<typeof anything>, repo = 'org/Some-Model-GGUF') =>
      findVariants(variants, { repo, ...anything, ...choice }).map(({ name }) => name);
    assert.deepEqual(names({}), ['Some_Model-Q8_0.gguf', 'some-model-q4_0.gguf']);
    assert.throws(() => names({}, 'org/other'), /has several models/);
    const only = variantsOf(listed(['a-BF16.gguf', 2]));
    assert.equal(findVariants(only, { repo: 'org/a', ...anything })[0]?.quantisation, 'BF16');
    const old = variantsOf(listed(['a-Q4_0_4_4.gguf', 5], ['a-Q4_0.gguf', 4]));
    assert.deepEqual(
      findVariants(old, { repo: 'org/a', ...anything }).map(({ quantisation }) => quantisation),
      ['Q4_0'],
      'formats that cannot be loaded any more are taken only when named',
    );
  });

  test('a dynamic quantisation is found without its prefix, where no other has the name', () => {
    const variants = variantsOf(listed(['m-UD-Q4_K_XL.gguf', 4], ['m-UD-Q8_0.gguf', 9], ['m-Q8_0.gguf', 8]));
    const of = (quantisation: string) => findVariants(variants, { repo: 'org/m', file: null, quantisation })[0]?.name;
    assert.equal(of('Q4_K_XL'), 'm-UD-Q4_K_XL.gguf');
    assert.equal(of('Q8_0'), 'm-Q8_0.gguf');
    assert.equal(of('UD-Q8_0'), 'm-UD-Q8_0.gguf');
  });

  test('whatever a repository holds, every form has as many files as its name says, and the largest is first', () => {
    const part = fc.record({ count: fc.integer({ min: 1, max: 4 }), number: fc.integer({ min: 1, max: 4 }) });
    const file = fc.oneof(
      part.map(({ count, number }) => `m-0000${number}-of-0000${count}.gguf`),
      fc.stringMatching(/^[\w./-]{1,20}\.gguf$/),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(file, fc.nat())), (files) => {
        const variants = variantsOf(listed(...files));
        for (const { name, files: parts } of variants) {
          const count = /-\d{5}-of-(\d{5})\.gguf$/.exec(name)?.[1];
          assert.equal(parts.length, Number(count ?? 1), name);
        }
        const sizes = variants.map(({ sizeBytes }) => sizeBytes);
        assert.deepEqual(
          sizes,
          sizes.toSorted((a, b) => b - a),
        );
      }),
    );
  });
});
