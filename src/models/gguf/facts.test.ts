import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type SampleModel, writeSampleModel } from '#test/model-files.ts';
import { checkServable, readGgufFacts } from './facts.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-facts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function factsOf(model: SampleModel, file = 'm.gguf') {
  const path = join(folder, file);
  writeSampleModel(path, model);
  return readGgufFacts(path);
}

describe('facts of a model file', () => {
  test('come from its own metadata', () => {
    const facts = factsOf({ kind: 'text', context: 2048, dimensions: 64 });
    assert.equal(facts.architecture, 'qwen3');
    assert.equal(facts.contextTokens, 2048);
    assert.equal(facts.dimensions, 64);
    assert.deepEqual([facts.hasChatTemplate, facts.thinks, facts.knowsTools], [true, true, true]);
    assert.equal(facts.parameters, 192);
    assert.equal(factsOf({ kind: 'embedding' }).pooling, 'last');
  });

  test('an output width other than the inner width counts as the dimensions', () => {
    const metadata = { 'qwen3.embedding_length_out': { type: 'u32', value: 32 } } as const;
    assert.equal(factsOf({ kind: 'embedding', metadata }).dimensions, 32);
  });

  test('parts of split models are refused, by name and by content', () => {
    assert.throws(() => factsOf({}, 'm-00001-of-00003.gguf'), /one part of a split model/);
    assert.throws(
      () => factsOf({ metadata: { 'split.count': { type: 'u32', value: 2 } } }),
      /one part of a split model/,
    );
  });

  test('adapters, files without weights, tokeniser or architecture are refused', () => {
    const type = { 'general.type': { type: 'string', value: 'adapter' } } as const;
    assert.throws(() => factsOf({ metadata: type }), /holds "adapter", not a model/);
    assert.throws(() => factsOf({ tensors: [] }), /has no weights/);
    assert.throws(() => factsOf({ metadata: { 'tokenizer.ggml.tokens': undefined } }), /has no tokeniser/);
    assert.throws(() => factsOf({ metadata: { 'general.architecture': undefined } }), /names no architecture/);
  });

  test('damaged, missing and unreadable files are refused in one line', () => {
    const path = join(folder, 'm.gguf');
    writeFileSync(path, 'PK');
    assert.throws(() => readGgufFacts(path), { name: 'ModelError', message: 'm.gguf is not a GGUF file.' });
    assert.throws(() => readGgufFacts(folder), { name: 'ModelError', message: `${folder} is not a file.` });
    const none = join(folder, 'none.gguf');
    const message = `Cannot read ${none}: ENOENT: no such file or directory, open '${none}'`;
    assert.throws(() => readGgufFacts(none), { name: 'ModelError', message });
  });

  test('a text model needs a chat template', () => {
    assert.deepEqual(checkServable(factsOf({}), 'text', 'm.gguf'), []);
    assert.throws(() => checkServable(factsOf({ template: null }), 'text', 'm.gguf'), /no chat template/);
  });

  test('an embedding model needs pooling to one vector, and a missing end token is a warning', () => {
    const embedding = { kind: 'embedding' } as const;
    assert.deepEqual(checkServable(factsOf(embedding), 'embedding', 'm.gguf'), []);
    assert.throws(() => checkServable(factsOf({ ...embedding, pooling: 4 }), 'embedding', 'm.gguf'), /reranker/);
    assert.throws(() => checkServable(factsOf({ ...embedding, pooling: 0 }), 'embedding', 'm.gguf'), /no pooling/);
    const [warning] = checkServable(factsOf({ ...embedding, addsEndToken: false }), 'embedding', 'm.gguf');
    assert.match(String(warning), /add_eos_token/);
    assert.match(String(checkServable(factsOf({}), 'embedding', 'm.gguf')), /names no pooling/);
  });
});
