import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import type { CountingBasis } from '#engine';
import type { ExampleKind } from '../../content/example-content.ts';
import type { shapes } from '../mapping/detect-shape.ts';
import { isMapping, readMapping, type WireMapping } from '../mapping/mapping.ts';
import { openRows } from '../reading/open-rows.ts';
import { readJsonRow } from '../reading/read-json-row.ts';
import { createBatchCounter } from '../worker/token-counting.ts';
import type { FileProfile } from './profile-builder.ts';
import { profileFile } from './profile-file.ts';
import { validateRow } from './validate-row.ts';

type Line = { line: number; byte_offset: number | null; pointer: string; code: string };

const bounds = { maxTextBytes: 10_000_000, maxRows: 500, maxRowBytes: 100_000, maxColumns: 100 };

/** Of a model whose tokens are characters. */
const basis: CountingBasis = {
  template: '{% for message in messages %}{{ message.content }}{% endfor %}',
  controlTexts: [],
  bosText: '',
  eosText: '',
  inFront: 0,
  aroundInput: 0,
  division: null,
};

/** Profiles rows of JSON lines; a count of tokens is a count of characters. */
async function profileOf(
  rows: readonly unknown[],
  {
    kind = 'text',
    mapping = null,
    isInDataset = false,
    template = basis.template,
  }: {
    kind?: ExampleKind;
    mapping?: WireMapping | null;
    isInDataset?: boolean;
    template?: string | null;
  } = {},
): Promise<FileProfile & { lines: Line[] }> {
  const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
  const bytes = Buffer.from(text);
  const options = { format: null, encoding: null, delimiter: null };
  const file = await openRows(
    { name: 'a.jsonl', sizeBytes: bytes.length, bytes: Readable.from([bytes]) },
    { options, bounds, tempDir: '/nowhere' },
  );
  const lines: Line[] = [];
  const found = await profileFile(file, {
    kind,
    mapping,
    sampleRows: 100,
    maxRows: bounds.maxRows,
    tokenCounter: {
      maxTokens: 200,
      count: createBatchCounter({ ...basis, template }, async (texts) => texts.map(({ length }) => length)),
    },
    findExisting: async (hashes) => new Set(isInDataset ? hashes.map((hash) => hash.toString('hex')) : []),
    writeIssue: (line) => lines.push(JSON.parse(line)),
    onProgress: () => {},
  });
  return { ...found, lines };
}

const say = (role: string, content: unknown) => ({ role, content });
const answered = [say('user', 'Why?'), say('assistant', 'Because.')];

describe('known shapes', () => {
  const conversations = [
    { from: 'system', value: 'Be brief.' },
    { from: 'human', value: 'Why?' },
    { from: 'gpt', value: 'Because.' },
  ];
  const cases: { shape: (typeof shapes)[number]; kind?: ExampleKind; row: object; mapping: object }[] = [
    { shape: 'chat', row: { messages: answered }, mapping: { messages: 'messages' } },
    {
      shape: 'chat',
      row: { messages: JSON.stringify(answered), Split: 'test' },
      mapping: { messages: 'messages', split: 'Split' },
    },
    { shape: 'sharegpt', row: { id: 1, conversations }, mapping: { messages: 'conversations' } },
    {
      shape: 'alpaca',
      row: { instruction: 'Add', input: '1 and 1', output: '2' },
      mapping: { user: ['instruction', 'input'], assistant: 'output' },
    },
    {
      shape: 'prompt_completion',
      row: { prompt: 'Why?', completion: 'Because.' },
      mapping: { user: 'prompt', assistant: 'completion' },
    },
    {
      shape: 'prompt_completion',
      row: { prompt: answered.slice(0, 1), completion: answered.slice(1) },
      mapping: { user: 'prompt', assistant: 'completion' },
    },
    {
      shape: 'question_answer',
      row: { Question: 'Why?', Answer: 'So.', system: 'Be.' },
      mapping: { system: 'system', user: 'Question', assistant: 'Answer' },
    },
    {
      shape: 'pair',
      kind: 'embedding',
      row: { query: 'lamp', positive: 'a lamp' },
      mapping: { query: 'query', positive: 'positive' },
    },
    {
      shape: 'triplet',
      kind: 'embedding',
      row: { anchor: 'lamp', positive: 'a lamp', negative: 'a chair' },
      mapping: { query: 'anchor', positive: 'positive', negative: 'negative' },
    },
    {
      shape: 'triplet',
      kind: 'embedding',
      row: { query: 'lamp', positives: ['a'], negatives: ['b'] },
      mapping: { query: 'query', positives: 'positives', negatives: 'negatives' },
    },
  ];
  for (const { shape, kind = 'text', row, mapping } of cases)
    test(`${shape} is recognised in ${Object.keys(row).join(', ')} and makes an example`, async () => {
      const { profile, mapping: used } = await profileOf([row], { kind });
      assert.deepEqual([profile.detected_shape, used], [shape, mapping]);
      assert.deepEqual([profile.valid, profile.issues], [1, []]);
    });

  test('a shape that is not known is reported as unknown, and nothing is made of it', async () => {
    const { profile, counts, mapping } = await profileOf([{ colour: 'red' }]);
    assert.deepEqual(
      [profile.detected_shape, mapping, counts],
      ['unknown', null, { rows: 1, valid: 0, invalid: 0, duplicates: 0, over_token_limit: 0 }],
    );
  });
});

const tool = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const call = (name: string, args: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: args } }],
});

describe('digits and order', () => {
  const schema =
    '{"type":"object","properties":{"reason":{"type":"integer"},"10":{"enum":[12345678901234567890]},"2":{"minimum":1.0}}}';
  const args = '{"reason":9007199254740993,"10":12345678901234567890,"2":1.50}';
  const tools = `[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
  const asks = '{"role":"user","content":"x"}';
  const calls = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}]}`;
  const quoted = (text: string) => JSON.stringify(text);
  const template =
    '{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}{% endfor %}';
  const rows: [form: string, row: string, mapping: WireMapping][] = [
    ['values', `{"m":[${asks},${calls}],"t":${tools}}`, { messages: 'm', tools: 't' }],
    ['lists as texts', `{"m":${quoted(`[${asks},${calls}]`)},"t":${quoted(tools)}}`, { messages: 'm', tools: 't' }],
    ['turns', `{"q":"x","a":[${calls}],"t":${tools}}`, { user: 'q', assistant: 'a', tools: 't' }],
    [
      'ShareGPT',
      `{"m":[{"from":"human","value":"x"},{"from":"function_call","value":${quoted(`{"name":"f","arguments":${args}}`)}},` +
        `{"from":"gpt","value":"y"}],"t":${tools}}`,
      { messages: 'm', tools: 't' },
    ],
  ];
  for (const [form, row, mapping] of rows)
    test(`numbers keep their digits and properties their order in ${form}`, async () => {
      const { lines, sample } = await profileOf([row], { mapping, template });
      const read = readMapping(mapping, { kind: 'text', columns: null });
      assert.ok(isMapping(read));
      const json = validateRow(readJsonRow(Buffer.from(row), { line: 1, byteOffset: 0 }), 'text', read).example?.json;
      assert.deepEqual(lines, []);
      assert.ok(json?.includes(`"parameters":${schema}`), json);
      assert.ok(json?.includes(`"arguments":${quoted(args)}`), json);
      assert.equal(JSON.stringify(sample[0]?.fields), row);
    });

  test('arguments of any size are compared with their schema digit by digit', async () => {
    const wrong = [args.replace('567890', '567891'), args.replace('993', '993.5')].map(
      (other) => `{"m":[${asks},${calls.replace(args, other)}],"t":${tools}}`,
    );
    const { lines } = await profileOf(wrong, { mapping: { messages: 'm', tools: 't' }, template });
    assert.deepEqual(
      lines.map(({ line, code }) => `${line} ${code}`),
      ['1 tool_arguments_invalid', '2 tool_arguments_invalid'],
    );
  });
});

describe('issues', () => {
  const text: [code: string, row: unknown, pointer: string][] = [
    ['bad_json', '{"messages": [}', ''],
    ['wrong_type', '[1, 2]', ''],
    ['missing_field', { other: 1 }, '/messages'],
    ['wrong_type', { messages: 'hello' }, '/messages'],
    ['empty_text', { messages: [say('user', ' '), say('assistant', 'x')] }, '/messages/0/content'],
    ['last_message_not_assistant', { messages: [say('user', 'x')] }, '/messages/0'],
    ['unknown_role', { messages: [say('robot', 'x'), say('assistant', 'x')] }, '/messages/0/role'],
    ['bad_encoding', { messages: [say('user', 'a\0b'), say('assistant', 'x')] }, '/messages/0/content'],
    [
      'tool_arguments_invalid',
      { messages: [say('user', 'x'), call('weather', '{"city":1}')], tools: [tool] },
      '/messages/1/tool_calls/0/function/arguments',
    ],
    [
      'tool_unknown',
      { messages: [say('user', 'x'), call('stocks', '{}')], tools: [tool] },
      '/messages/1/tool_calls/0/function/name',
    ],
    ['too_large', `{"messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, ''],
    ['over_token_limit', { messages: [say('user', 'x'.repeat(300)), say('assistant', 'x')] }, ''],
  ];
  const good = { messages: answered };

  test('each issue of a text example is reported with its code, line, location and excerpt', async () => {
    const rows = text
      .flatMap(([, row]) => [good, row])
      .map((row) => (typeof row === 'string' ? row : JSON.stringify(row)));
    const found = await profileOf([good, ...rows], { mapping: { messages: 'messages', tools: 'tools' } });
    const offsets = [good, ...rows].map(
      (_, n) => Buffer.byteLength([JSON.stringify(good), ...rows].slice(0, n).join('\n')) + (n > 0 ? 1 : 0),
    );
    const expected = text.map(([code, , pointer], n) => ({
      code,
      pointer,
      line: 2 * n + 3,
      byte_offset: offsets[2 * n + 2],
    }));
    const issues = found.lines.filter(({ code }) => code !== 'duplicate_in_file');
    assert.deepEqual(
      issues.map(({ code, pointer, line, byte_offset }) => ({ code, pointer, line, byte_offset })),
      expected,
    );
    assert.ok(
      found.issues.every(
        ({ excerpt, message }) => excerpt.length <= 200 && excerpt.length > 0 && message.endsWith('.'),
      ),
    );
    const { counts } = found;
    assert.deepEqual([counts.rows, counts.invalid, counts.duplicates, counts.over_token_limit], [25, 11, 12, 1]);
  });

  test('what the model of the dataset cannot learn is reported on its row, which stays valid', async () => {
    const rows = [
      { messages: [say('system', 'x'), say('assistant', 'y')] },
      { messages: [say('user', 'x'), say('assistant', 'y'), say('assistant', 'z')] },
      { messages: [say('user', 'x'), { ...say('assistant', 'y'), weight: 0 }, say('assistant', 'z')] },
      { messages: [say('assistant', 'x'), say('assistant', 'y')] },
    ];
    // It writes the sign that begins an answer only behind a question.
    const template =
      "{% for m in messages %}{% if m.role == 'assistant' and loop.index0 > 0 and messages[loop.index0 - 1].role == 'user' %}" +
      '>{% endif %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}>{% endif %}';
    const { lines, profile } = await profileOf(rows, { template });
    assert.deepEqual(
      lines.map(({ line, code, pointer }) => `${line} ${code} ${pointer}`),
      ['1 not_learnable ', '3 not_learnable ', '4 wrong_type /messages'],
    );
    assert.deepEqual([profile.valid, profile.invalid], [3, 1]);
  });

  test('each issue of an embedding example is reported with its column', async () => {
    const rows = [
      { query: 'q', positive: 'a', negative: 'a' },
      { query: 'q', positive: null },
      { query: '', positive: 'a' },
      { query: 7, positive: 'a' },
      { query: 'q', positive: 'a', negative: 7 },
    ];
    const mapping = { query: 'query', positive: 'positive', negative: 'negative' };
    const { lines } = await profileOf(rows, { kind: 'embedding', mapping });
    assert.deepEqual(
      lines.map(({ line, code, pointer }) => `${line} ${code} ${pointer}`),
      [
        '1 positive_equals_negative /negative',
        '2 positive_missing /positive',
        '3 empty_text /query',
        '4 wrong_type /query',
        '5 wrong_type /negative',
      ],
    );
  });

  test('pointers lead to the columns that a mapping names', async () => {
    const rows = [
      { ask: 'x', say: '' },
      { ask: [say('user', 'x'), say('user', 3)], say: 'y' },
      { ask: 'x', say: 'y', part: 'half' },
    ];
    const { lines } = await profileOf(rows, { mapping: { user: 'ask', assistant: 'say', split: 'part' } });
    assert.deepEqual(
      lines.map(({ line, code, pointer }) => `${line} ${code} ${pointer}`),
      ['1 empty_text /say', '2 wrong_type /ask/1/content', '3 wrong_type /part'],
    );
    const shared = [
      {
        conversations: [
          { from: 'human', value: '' },
          { from: 'alien', value: 'x' },
          { from: 'gpt', value: 'x' },
        ],
      },
    ];
    const found = await profileOf(shared);
    assert.deepEqual(
      found.lines.map(({ code, pointer }) => `${code} ${pointer}`),
      ['empty_text /conversations/0/value', 'unknown_role /conversations/1/from'],
    );
  });

  test('what an earlier row has and what the dataset has are told apart, and the first of equals is none', async () => {
    const other = { messages: [say('user', 'Who?'), say('assistant', 'Me.')] };
    const { lines, profile } = await profileOf([good, other, good, { ...good, extra: 1 }]);
    assert.deepEqual(
      lines.map(({ line, code }) => `${line} ${code}`),
      ['3 duplicate_in_file', '4 duplicate_in_file'],
    );
    assert.deepEqual([profile.valid, profile.duplicates], [4, 2]);
    assert.deepEqual(profile.issues, [{ code: 'duplicate_in_file', count: 2, first_line: 3 }]);
    const known = await profileOf([good, other, good], { isInDataset: true });
    assert.deepEqual(known.profile.issues, [{ code: 'duplicate', count: 3, first_line: 1 }]);
    assert.deepEqual([known.profile.valid, known.profile.duplicates], [3, 3]);
  });
});

test('columns are described over all rows', async () => {
  const { profile } = await profileOf([
    { prompt: 'a', completion: 'b', n: 1 },
    { prompt: 'c', completion: 'd', n: null },
    { prompt: 'e', completion: 'f', n: 'x' },
  ]);
  assert.deepEqual(profile.columns, [
    { name: 'prompt', type: 'string', null_count: 0, samples: ['a', 'c', 'e'] },
    { name: 'completion', type: 'string', null_count: 0, samples: ['b', 'd', 'f'] },
    { name: 'n', type: 'mixed', null_count: 1, samples: ['1', 'x'] },
  ]);
});

test('a file with too many rows is refused with the limit', async () => {
  await assert.rejects(profileOf(Array.from({ length: 1_001 }, (_, n) => ({ n }))), /more than 500 rows/);
});
