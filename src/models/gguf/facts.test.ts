import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type SampleModel, writeSampleModel, zeros } from '#test/model-files.ts';
import { splitMetadata } from '#test/random-model.ts';
import { checkServable, kindOfFile, readGgufFacts, supportedContextOf } from './facts.ts';

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
    assert.equal(facts.hasChatTemplate, true);
    assert.equal(facts.parameters, 192);
    assert.equal(factsOf({ kind: 'embedding' }).pooling, 'last');
  });

  test('the context is that of YaRN where the file has it, shorter or longer, and otherwise what the file names', () => {
    const scaling = (type: string, factor: number): SampleModel['metadata'] => ({
      'qwen3.rope.scaling.type': { type: 'string', value: type },
      'qwen3.rope.scaling.factor': { type: 'f32', value: factor },
      'qwen3.rope.scaling.original_context_length': { type: 'u32', value: 1024 },
    });
    const contextOf = (metadata: SampleModel['metadata'] = {}) =>
      supportedContextOf(factsOf({ context: 2048, metadata }));
    assert.equal(contextOf(), 2048);
    assert.equal(contextOf(scaling('yarn', 4)), 4096);
    assert.equal(contextOf(scaling('yarn', 1.5)), 1536);
    assert.equal(contextOf(scaling('linear', 4)), 2048);
    assert.equal(contextOf({ 'qwen3.rope.scaling.type': { type: 'string', value: 'yarn' } }), 2048);
  });

  test('an output width other than the inner width counts as the dimensions', () => {
    const metadata = { 'qwen3.embedding_length_out': { type: 'u32', value: 32 } } as const;
    assert.equal(factsOf({ kind: 'embedding', metadata }).dimensions, 32);
  });

  test('of a split model are those of all of its parts, which must be there and be what their names say', () => {
    const part = (index: number, count = 3) => splitMetadata({ index, count, tensors: 3 });
    const names = [1, 2, 3].map((number) => `m-0000${number}-of-00003.gguf`);
    const [first = '', second = '', third = ''] = names;
    assert.throws(() => factsOf({ metadata: part(0) }, first), {
      message: `Part 2 of 3 is missing: ${second} must stand beside the first one.`,
    });
    // The first part may hold no weights, the others hold no vocabulary.
    const write = (name: string, metadata: NonNullable<SampleModel['metadata']>) =>
      writeSampleModel(join(folder, name), { metadata });
    const bare = { 'tokenizer.ggml.tokens': undefined, 'general.architecture': undefined };
    write(second, { ...bare, ...part(1) });
    write(third, { ...bare, ...part(2) });
    const facts = factsOf({ metadata: part(0), tensors: [] }, first);
    assert.equal(facts.parameters, 2 * 3 * 128);
    assert.deepEqual(
      facts.files,
      names.map((name) => join(folder, name)),
    );
    assert.equal(
      facts.fileBytes,
      names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
    );
    assert.throws(() => readGgufFacts(join(folder, third)), /is part 3 of a split model; give the first part, m-00001/);
    write(third, { ...bare, ...part(1) });
    assert.throws(() => readGgufFacts(join(folder, first)), /m-00003-of-00003\.gguf is not part 3 of 3/);
  });

  test('of a file whose name and content disagree about parts are refused', () => {
    assert.throws(() => factsOf({}, 'n-00001-of-00003.gguf'), /is whole and is named like one of 3 parts/);
    const metadata = splitMetadata({ index: 0, count: 2, tensors: 2 });
    assert.throws(() => factsOf({ metadata }), /m\.gguf is one of 2 parts and is named like one that is whole/);
    assert.equal(factsOf({}, 'n-00001-of-00001.gguf').files.length, 1);
  });

  test('say what the model is for', () => {
    const kindOf = (model: SampleModel) => kindOfFile(factsOf(model));
    assert.equal(kindOf({}), 'text');
    for (const pooling of [1, 2, 3]) assert.equal(kindOf({ kind: 'embedding', pooling }), 'embedding');
    const pooling = { 'qwen3.pooling_type': { type: 'u32', value: 3 } } as const;
    assert.equal(kindOf({ metadata: pooling }), 'embedding', 'also with a chat template');
    const causal = { 'qwen3.attention.causal': { type: 'bool', value: false } } as const;
    assert.equal(kindOf({ template: null, metadata: causal }), 'embedding');
    assert.equal(kindOf({ kind: 'embedding', pooling: 4 }), 'reranker');
    const clip = { 'general.architecture': { type: 'string', value: 'clip' } } as const;
    assert.throws(() => factsOf({ metadata: clip }), /is the image encoder of a model/);
    const projector = { 'general.type': { type: 'string', value: 'mmproj' } } as const;
    assert.throws(() => factsOf({ metadata: projector }), /holds "mmproj", not a model/);
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

  test('a reranker needs a classification head, whatever its pooling says, and serves as nothing else', () => {
    const tensors = [zeros('token_embd.weight', [128, 3]), zeros('cls.output.weight', [128, 1])];
    const reranker = factsOf({ tensors });
    assert.deepEqual(checkServable(reranker, 'reranker', 'm.gguf'), []);
    assert.throws(() => checkServable(reranker, 'text', 'm.gguf'), /Add it with --kind reranker/);
    assert.throws(() => checkServable(reranker, 'embedding', 'm.gguf'), /Add it with --kind reranker/);
    assert.throws(
      () => checkServable(factsOf({}), 'reranker', 'm.gguf'),
      /no classification head .*: it is no reranker/,
    );
    const headless = factsOf({ kind: 'embedding', pooling: 4 });
    assert.throws(
      () => checkServable(headless, 'reranker', 'm.gguf'),
      /no classification head .*take another conversion/,
    );
    assert.deepEqual([reranker, headless, factsOf({})].map(kindOfFile), ['reranker', 'reranker', 'text']);
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
