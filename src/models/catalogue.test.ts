import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { readCapabilities } from '#engine';
import { fc } from '#test/properties.ts';
import { withQueryInstruction } from './base-model.ts';
import { loadCatalogue, parseCatalogue } from './catalogue.ts';
import { checkServable, readGgufFacts } from './gguf/facts.ts';
import { ModelError } from './model-error.ts';

const path = join(import.meta.dirname, '../../models/catalogue.yaml');
const text = readFileSync(path, 'utf8');

describe('catalogue', () => {
  test('lists the three documented models, with sources to pull, and the two that ship', () => {
    const { entries } = loadCatalogue(path);
    const rows = entries.map(({ id, kind, maxContextTokens, dimensions, source }) => [
      id,
      kind,
      maxContextTokens,
      dimensions,
      source.type,
    ]);
    assert.deepEqual(rows, [
      ['fanfold-tiny-chat', 'text', 4096, null, 'shipped'],
      ['fanfold-tiny-embed', 'embedding', 2048, 128, 'shipped'],
      ['qwen3-0.6b', 'text', 4096, null, 'hub'],
      ['qwen3-embedding-0.6b', 'embedding', 2048, 1024, 'hub'],
      ['qwen3-embedding-4b', 'embedding', 2048, 2560, 'hub'],
    ]);
    for (const entry of entries) {
      assert.equal(entry.rateMicroPerMinute, 30_000n);
      assert.deepEqual(entry.reasoningEfforts, entry.kind === 'text' ? ['none', 'low', 'high'] : []);
      assert.equal(entry.maxInputTokens, entry.kind === 'text' ? null : 512);
    }
  });

  test('has a library of models that are pulled by an id: each with its repository, license, context and capabilities', () => {
    const { library, defaultRateOf } = loadCatalogue(path);
    const find = (id: string) => library.find((entry) => entry.id === id);
    const { repo, license, maxContextTokens, tools, reasoningEfforts } = find('qwen3-4b') ?? assert.fail();
    assert.deepEqual(
      [repo, license, maxContextTokens, tools, reasoningEfforts],
      ['Qwen/Qwen3-4B-GGUF', 'Apache-2.0', 40_960, true, ['none', 'low', 'high']],
    );
    const e5 = find('e5-base-v2');
    assert.deepEqual([e5?.dimensions, e5?.queryInstruction], [768, 'query: {query}']);
    assert.equal(find('bge-reranker-v2-m3')?.kind, 'reranker');
    for (const { id, parameters } of library) assert.ok(defaultRateOf(parameters) >= 30_000n, id);
    assert.deepEqual([1e9, 2e9, 8e9, 70e9].map(defaultRateOf), [30_000n, 40_000n, 60_000n, 300_000n]);
  });

  test('says of the shipped models what their files say', () => {
    for (const entry of loadCatalogue(path).entries) {
      if (entry.source.type !== 'shipped') continue;
      const file = join(dirname(path), entry.source.file);
      assert.ok(existsSync(file), file);
      const facts = readGgufFacts(file);
      assert.deepEqual(checkServable(facts, entry.kind, entry.id), []);
      assert.equal(facts.parameters, entry.parameters);
      assert.ok((facts.contextTokens ?? 0) >= entry.maxContextTokens);
      if (entry.kind === 'embedding') assert.equal(facts.dimensions, entry.dimensions);
      else {
        const { tools, reasoningEfforts } = readCapabilities(file) ?? assert.fail();
        assert.deepEqual([tools, reasoningEfforts], [entry.tools, entry.reasoningEfforts]);
      }
    }
  });

  const wrong: [string, string, string, RegExp][] = [
    [
      'a rate that is a number',
      '"0.03"\n    source',
      '0.03\n    source',
      /^fanfold-tiny-chat: credits_per_gpu_minute must be string$/,
    ],
    ['an unknown kind', 'kind: text', 'kind: audio', /^fanfold-tiny-chat: kind must be text, embedding or reranker$/],
    [
      'dimensions that are a text',
      'dimensions: 128',
      'dimensions: "128"',
      /^fanfold-tiny-embed: dimensions must be integer$/,
    ],
    ['an unknown field', 'tools: true', 'tool: true', /^fanfold-tiny-chat: tool is not a known field$/],
    ['an unknown effort', '[none, low, high]', '[none, max]', /^fanfold-tiny-chat: reasoning_efforts\.1 must be/],
    ['an id twice', 'id: qwen3-0.6b', 'id: fanfold-tiny-chat', /^fanfold-tiny-chat: the id is used twice$/],
    ['an id with capitals', 'id: qwen3-0.6b', 'id: Qwen', /^Qwen: id must match/],
    ['a file outside the folder', 'tiny-chat/tiny', '../../etc/tiny', /^fanfold-tiny-chat: source\.shipped must lie/],
    ['a digest that is none', 'sha256: null', 'sha256: abc', /^qwen3-0\.6b: source\.hub\.sha256 must match/],
    ['an unknown field in the library', 'repo: Qwen/Qwen3-4B-GGUF', 'rep: x', /^qwen3-4b: rep is not a known field$/],
    ['no repository in the library', 'repo: Qwen/Qwen3-4B-GGUF', 'repo: Qwen', /^qwen3-4b: repo must match/],
    ['an id of the library twice', 'id: qwen3-4b,', 'id: qwen3-0.6b,', /^qwen3-0\.6b: the id is used twice$/],
    ['a missing field', '    name: Qwen3 0.6B\n', '', /^qwen3-0\.6b: must have required properties name$/],
    [
      'a source of unknown type',
      '    source:\n      hub:',
      '    source:\n      ftp:',
      /^qwen3-0\.6b: source\.ftp is not a known field$/,
    ],
    [
      'a date that is none',
      '"2026-11-20"\n    max',
      '"2026-13-20"\n    max',
      /^fanfold-tiny-chat: created must be a date$/,
    ],
    [
      'a dimensions field on a text model',
      'tools: true',
      'tools: true\n    dimensions: 5',
      /^fanfold-tiny-chat: dimensions is not a known field$/,
    ],
  ];
  for (const [name, before, after, message] of wrong) {
    test(`refuses ${name}, naming entry and field`, () => {
      assert.ok(text.includes(before));
      assert.throws(
        () => parseCatalogue(text.replace(before, after)),
        (error: Error) => message.test(error.message) || assert.fail(error.message),
      );
    });
  }

  test('a file that is missing or no YAML is refused in one line that names it', () => {
    assert.throws(
      () => loadCatalogue(`${path}.none`),
      /^ModelError: Cannot read the model catalogue .*none: ENOENT[^\n]*$/,
    );
  });

  test('whatever value stands in whatever field gives a catalogue or one line of refusal', () => {
    const paths = ['price_version', 'models', 'default_credits_per_gpu_minute'];
    const fields = ['id', 'kind', 'source', 'dimensions', 'parameters', 'credits_per_gpu_minute', 'created', 'x'];
    const spoil = fc.oneof(
      fc.record({ field: fc.constantFrom(...paths), entry: fc.constant(null), value: fc.jsonValue() }),
      fc.record({ field: fc.constantFrom(...fields), entry: fc.nat(4), value: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(spoil, ({ field, entry, value }) => {
        const document = parse(text);
        (entry === null ? document : document.models[entry])[field] = value;
        try {
          parseCatalogue(stringify(document));
        } catch (error) {
          assert.ok(error instanceof ModelError, String(error));
          assert.match(error.message, /^[^\n]+$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('query instruction', () => {
  test('a task takes the form of Qwen3-Embedding, a template its own, and none leaves the query as it is', () => {
    assert.equal(withQueryInstruction('Find it', 'a $& b'), 'Instruct: Find it\nQuery:a $& b');
    assert.equal(withQueryInstruction('query: {query}', 'a $& {query}'), 'query: a $& {query}');
    assert.equal(withQueryInstruction(null, 'a'), 'a');
  });
});
