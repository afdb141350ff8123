import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CountingBasis, itemCounterModule } from '#engine';
import { fc } from '#test/properties.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { BlockJudge, type JudgeDeps } from '../block-judge.ts';
import type { Judged } from '../judged.ts';
import { type RowBlock, rowsOf } from '../row-block.ts';
import { createPlainRows } from './plain-rows.ts';

/** Of a model whose tokens are characters, but for `<think>`, which is one. */
const basis: CountingBasis = {
  template: '{% for message in messages %}{{ message.role }}\n{{ message.content }}\n{% endfor %}',
  ...{ controlTexts: [], bosText: '', eosText: '', inFront: 0, aroundInput: 0 },
  division: { divider: 'qwen2', added: ['<think>'], addedTakeBlanks: false },
};
const maxRowBytes = 2_000_000;
// as: the engine says that its counter is there.
const { createItemCounter } = (await import(itemCounterModule)) as Pick<JudgeDeps, 'createItemCounter'>;
const countTexts = async (texts: readonly string[]) => texts.map(({ length }) => length);
const judgeOf = (mapping: Mapping) =>
  new BlockJudge({ kind: 'text', mapping, basis, maxRowBytes }, { createItemCounter, countTexts });

function blockOf(lines: readonly (string | Buffer)[]): RowBlock & { type: 'lines' } {
  const text = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  const buffer = Buffer.from(new ArrayBuffer(text.length + 3));
  // What stands behind the text belongs to a block before it.
  buffer.fill('"');
  text.copy(buffer);
  return { type: 'lines', block: { buffer, bytes: text.length - 1, byteOffset: 0, isCut: false } };
}

const told = ({ lines: _, ...judged }: Judged) => ({ ...judged, examples: judged.examples.toString('latin1') });

/** From the bytes, against reading, mapping, checking and writing each row. */
async function assertSame(mapping: Mapping, lines: readonly (string | Buffer)[]): Promise<void> {
  const block = blockOf(lines);
  const rows = [...rowsOf(block, maxRowBytes).rows];
  const whole = await judgeOf(mapping).judge({ type: 'rows', rows }, new ArrayBuffer(64));
  assert.deepEqual(told(await judgeOf(mapping).judge(block, new ArrayBuffer(64))), told(whole));
}

/** Which of the rows are read from their bytes, once nobody wants to see values of columns. */
function plainOf(mapping: Mapping, lines: readonly (string | Buffer)[]): boolean[] {
  return lines.map((line) => {
    const read = createPlainRows(mapping)?.(Buffer.from(line), { hasSamplesOf: () => true });
    return Boolean(read?.({ at: 0, end: Buffer.byteLength(line) }, { line: 1, byteOffset: 0 }));
  });
}

const chat: Mapping = { kind: 'text', text: { messages: 'messages', split: 'split', tools: 'tools' } };
const turns: Mapping = { kind: 'text', text: { system: 'system', user: 'question', assistant: 'answer' } };

const asked = '{"role":"user","content":"Is it red?"}';
const answered = '{"role":"assistant","content":"Yes.\\n\\"Red\\"\\\\ \\t 天气 🙂"}';
const rowWith = (messages: string, more = '') => `{"messages":[${messages}]${more}}`;

test('rows are read from their bytes as programs usually write them', () => {
  const usual = [
    rowWith(`${asked},${answered}`),
    ` { "messages" : [ { "content" : "a" , "role" : "system" }, ${asked}, ${answered} ] } \r`,
    rowWith(
      `${asked},${answered}`,
      ',"id":-1.5e3,"ok":true,"none":null,"tags":["a",{"b":"]"}],"split":"test","tools":null',
    ),
  ];
  assert.deepEqual(plainOf(chat, usual), [true, true, true]);
  const columns = ['{"question":"a\\nb","answer":"c","id":7}', '{"system":"x","question":"a","answer":"c"}'];
  assert.deepEqual(plainOf(turns, columns), [true, true]);
});

const unusual = [
  ...['', '{', '{}', '[]', 'null', '{"messages":[]}', '{"messages":null}', '{"messages":"[]"}', '{"messages":[1]}'],
  rowWith(answered.replace('assistant', 'user')),
  rowWith(`${asked},{"role":"assistant","content":" "}`),
  rowWith(`${asked},{"role":"assistant","content":"\\u0041"}`),
  rowWith(`${asked},{"role":"assistant","content":"\\/"}`),
  rowWith(`${asked},{"role":"assistant","content":"\\x"}`),
  rowWith(`${asked},{"role":"assistant","content":"\\ud83d"}`),
  rowWith(`${asked},{"role":"assistant","content":"a\tb"}`),
  rowWith(`${asked},{"role":"assistant","content":"a\u0000b"}`),
  rowWith(`${asked},{"role":"assistant","content":null}`),
  rowWith(`${asked},{"role":"assistant","content":"a","content":"b"}`),
  rowWith(`${asked},{"role":"assistant","role":"user","content":"b"}`),
  rowWith(`${asked},{"role":"assistant","content":"a","reasoning_content":"b"}`),
  rowWith(`${asked},{"role":"developer","content":"a"}`),
  rowWith(`${asked},{"from":"gpt","value":"a"}`),
  ...[rowWith(`${asked} ${answered}`), rowWith(`${asked},${answered},`), `${rowWith(`${asked},${answered}`)}}`],
  ...[
    rowWith(`${asked},${answered}`, ','),
    rowWith(`${asked},${answered}`, ',"a"'),
    rowWith(`${asked},${answered}`, ',"a":'),
  ],
  ...['01', '+1', '1.', 'nul', 'True', '1 2', '[1}', '{"a":[}', '"a', '[[[[[[[[[[1]]]]]]]]]]'].map((value) =>
    rowWith(`${asked},${answered}`, `,"a":${value}`),
  ),
  rowWith(`${asked},${answered}`, ',"a":1,"a":2'),
  rowWith(`${asked},${answered}`, `,"messages":[${asked}]`),
  rowWith(`${asked},${answered}`, ',"__proto__":{"a":1}'),
  rowWith(`${asked},${answered}`, ',"split":"half"'),
  rowWith(`${asked},${answered}`, ',"tools":[]'),
  rowWith(`${asked},${answered}`, ',"\\u0061":1'),
  `\ufeff${rowWith(`${asked},${answered}`)}`,
  rowWith(`${asked},{"role":"assistant","content":"${'long '.repeat(120_000)}"}`),
];

test('whatever else a row may be is left to whoever reads rows whole', async () => {
  for (const [index, isPlain] of plainOf(chat, unusual).entries()) assert.ok(!isPlain, unusual[index]);
  const plain = rowWith(`${asked},${answered}`);
  await assertSame(chat, [plain, plain, plain, plain, ...unusual.flatMap((row) => [row, plain])]);
  await assertSame(chat, [...unusual, Buffer.from([0x7b, 0xff]), plain, Buffer.from(plain).subarray(0, -4)]);
});

/** Words, blanks and signs that texts, JSON and tokenisers treat in ways of their own. */
const pieces = [
  'lamp',
  'Red',
  ' ',
  '\n',
  "don't",
  '12',
  '天气',
  '🙂',
  '"',
  '\\',
  '/',
  '<think>',
  '\u0001',
  '\u007f',
  'ß',
  '#',
];
const content = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(''));
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'assistant', 'system', 'tool'), content });
const more = {
  split: fc.constantFrom('train', 'test', 'Test ', 'half'),
  tools: fc.constantFrom(null, [], 'x'),
  id: fc.oneof(fc.integer(), fc.double({ noNaN: true }), content, fc.jsonValue({ maxDepth: 2 })),
  '7': fc.boolean(),
};
const chats = fc.record({ messages: fc.array(message, { maxLength: 4 }), ...more }, { requiredKeys: ['messages'] });
const columns = fc.record(
  { system: content, question: content, answer: content, ...more },
  { requiredKeys: ['answer'] },
);

/** Ways to write the same value. */
const written = (row: unknown, way: number): string => {
  const json = JSON.stringify(row, null, way === 1 ? 1 : 0).replaceAll('\n', ' ');
  if (way === 2) return json.replaceAll('/', '\\/');
  return way === 3 ? json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
};

test('what is read from bytes is what reading, mapping, checking and writing make of a row', async () => {
  for (const [mapping, rows] of [
    [chat, chats],
    [turns, columns],
  ] as const) {
    const line = fc.tuple(rows, fc.constantFrom(0, 0, 1, 2, 3)).map(([row, way]) => written(row, way));
    const lines = fc.array(line, { minLength: 1, maxLength: 40, size: 'max' });
    await fc.assert(
      fc.asyncProperty(lines, (each) => assertSame(mapping, each)),
      { numRuns: 60 },
    );
  }
});
