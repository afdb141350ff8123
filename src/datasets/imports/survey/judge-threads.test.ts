import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { CountingBasis } from '#engine';
import { contentHeadBytes, hashBytes } from '../kept/kept-format.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { openRows } from '../reading/open-rows.ts';
import { JudgeThreads } from './judge-threads.ts';
import { survey } from './survey.ts';
import type { Survey, SurveyOptions } from './survey-options.ts';

const bounds = { maxTextBytes: 1e9, maxRows: 1e6, maxRowBytes: 400_000, maxColumns: 100 };

/** Of a model whose tokens are characters, but for `<think>`, which is one. */
const basis: CountingBasis = {
  template: '{% for message in messages %}{{ message.role }}\n{{ message.content }}\n{% endfor %}',
  ...{ controlTexts: [], bosText: '', eosText: '', inFront: 0, aroundInput: 0 },
  division: { divider: 'qwen2', added: ['<think>'], addedTakeBlanks: false },
};
const ruler: SurveyOptions['ruler'] = {
  maxTokens: 900,
  basis,
  countTexts: async (texts) => texts.map(({ length }) => length),
};

const say = (role: string, content: unknown) => ({ role, content });
const words = ['lamp', "don't", '天气很好', '12', '\n\n', ' ', '🙂', 'a<b', '\u0001', 'ß'];
const plain = words.filter((word) => /^[ -~\n]+$/.test(word));
const textOf = (n: number) => {
  const from = n % 3 === 0 ? plain : words;
  return Array.from({ length: 12 }, (_, k) => from[(n * 7 + k * k * 3) % from.length]).join(' ');
};
const good = (n: number) => ({ messages: [say('user', `${n} ${textOf(n)}?`), say('assistant', textOf(n + 6))] });

/** Rows of every kind, in changing company, so that blocks begin and end with each. */
const kinds: ((n: number) => string | Buffer)[] = [
  (n) => JSON.stringify(good(n)),
  (n) => JSON.stringify({ ...good(n), split: n % 2 === 0 ? 'train' : 'half', [`c${n}`]: n, [`d${n}`]: null }),
  (n) => JSON.stringify(good(n % 50)),
  () => ' \r',
  (n) => JSON.stringify({ messages: [say('user', '<think>x'), say('assistant', 'y'.repeat(n))] }),
  () => JSON.stringify({ messages: [say('user', ''), say('alien', 'x')] }),
  () => '{"messages":',
  () => Buffer.from([0x7b, 0xff, 0xfe]),
  () => `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
  (n) => JSON.stringify({ ...good(n), more: 'z'.repeat((n % 7) * 400) }),
];
const rows = 1_600;
const file = Buffer.concat([
  ...Array.from({ length: rows }, (_, n) => [
    Buffer.from(kinds[n % kinds.length]?.(n) ?? ''),
    Buffer.from('\n'),
  ]).flat(),
  // More columns than can be noted without the rows before.
  Buffer.from(`${JSON.stringify(Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`c${n}`, n])))}\n`),
  // Too large for a row, and for a thread.
  Buffer.from(`${JSON.stringify(good(1)).padEnd(500_000)}\n${JSON.stringify(good(2)).padEnd(390_000)}\n`),
  Buffer.from(JSON.stringify(good(3))),
]);

async function surveyed(options: Partial<SurveyOptions>) {
  const asked = { format: 'jsonl', encoding: null, delimiter: null } as const;
  const bytes = Readable.from([file.subarray(0, 300_001), file.subarray(300_001, 300_002), file.subarray(300_002)]);
  const opened = await openRows(
    { name: 'a', sizeBytes: file.length, bytes },
    { options: asked, bounds, tempDir: '/nowhere' },
  );
  const issues: string[] = [];
  const kept: unknown[] = [];
  const found = await survey(opened, {
    ...{
      kind: 'text',
      mapping: { messages: 'messages', split: 'split' },
      sampleRows: 100,
      maxRows: bounds.maxRows,
      ruler,
    },
    findExisting: async (hashes) => new Set(hashes.map((hash) => hash.toString('hex')).filter((hash) => hash < '1')),
    writeIssue: (line) => issues.push(line),
    keep: ({ bytes, at, end, ...mark }) =>
      kept.push({
        ...mark,
        hash: bytes.toString('hex', at, at + hashBytes),
        json: bytes.toString('utf8', at + contentHeadBytes, end),
      }),
    onRows: async () => {},
    ...options,
  });
  return { found, issues, kept };
}

const toldOf = ({ profile, sample, mapping, issues, tokens }: Survey) => ({
  ...{ profile, sample, mapping, issues },
  tokens: tokens.toBytes().toString('hex'),
});

test('threads find in a file what one finds alone: rows, places, issues, tokens, columns, duplicates', async () => {
  const alone = await surveyed({ threads: 0 });
  const { counts, issues, columns } = alone.found.profile;
  assert.equal(counts.rows, rows - rows / kinds.length + 4);
  assert.deepEqual(issues.map(({ code }) => code).toSorted(), [
    ...[
      'bad_encoding',
      'bad_json',
      'duplicate',
      'empty_text',
      'last_message_not_assistant',
      'missing_field',
      'over_token_limit',
      'too_large',
      'unknown_role',
      'wrong_type',
    ],
  ]);
  assert.equal(columns.length, 200);
  // Six kinds of rows have columns, and three of the rows behind them; this one is in two rows.
  assert.equal(columns.find(({ name }) => name === 'c11')?.nullCount, rows * 0.6 + 3 - 2);
  assert.equal(alone.kept.length, counts.valid);
  for (const threads of [1, 2]) {
    const together = await surveyed({ threads });
    assert.deepEqual(toldOf(together.found), toldOf(alone.found));
    assert.deepEqual([together.issues, together.kept], [alone.issues, alone.kept]);
  }
});

test('only texts that are new are asked for, whoever judges them', async () => {
  const asked: string[] = [];
  const countTexts = async (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map(({ length }) => length);
  };
  await surveyed({ threads: 1, ruler: { maxTokens: 900, basis, countTexts } });
  const lamps = file.toString().split(' lamp').length - 1;
  const askedFor = asked.filter((text) => text === ' lamp').length;
  // Once for each block that was at work before the first answer came.
  assert.ok(askedFor > 0 && askedFor <= 6 && lamps > 500, `${askedFor} of ${lamps}`);
});

test('a survey ends with the error of whoever cannot count, and when nobody wants it any more', async () => {
  const countTexts = () => Promise.reject(new Error('Nobody counts.'));
  for (const threads of [0, 2]) {
    await assert.rejects(surveyed({ threads, ruler: { maxTokens: 900, basis, countTexts } }), /Nobody counts/);
    await assert.rejects(surveyed({ threads, onRows: () => Promise.reject(new Error('Unwanted.')) }), /Unwanted/);
  }
});

test('blocks under way are given up when a thread dies, and when the survey is over', async () => {
  const countTexts = async () => [];
  const start = (mapping: Mapping | null) =>
    new JudgeThreads({ kind: 'text', mapping, basis, maxRowBytes: 1_000 }, { threads: 2, countTexts });
  const judge = (threads: JudgeThreads) =>
    threads.judge(
      { buffer: Buffer.from(new ArrayBuffer(8)), bytes: 8, byteOffset: 0, isCut: false },
      new ArrayBuffer(8),
    );
  const over = start(null);
  const waiting = assert.rejects(judge(over), /survey is over/);
  await over.close();
  await waiting;
  await assert.rejects(judge(over), /survey is over/);
  // as: nobody may give such a mapping, so that the threads fail.
  const dying = start({ kind: 'text', text: null } as unknown as Mapping);
  await assert.rejects(judge(dying), TypeError);
  await assert.rejects(judge(dying), TypeError);
  await dying.close();
});
