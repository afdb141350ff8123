import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VersionExample } from '#datasets';
import { identityOf } from '../passages.ts';
import { createKnownAnswers } from './known-answers.ts';

type Said = { query: string; right: [string, (string | null)?][] };

const version = (seq: bigint) => ({ datasetId: 'ds_1', seq });
const document = (text: string, id: string | null = null) => identityOf({ text, document_id: id });

function exampleOf({ query, right }: Said, at: number): VersionExample {
  const positives = right.map(([text, id = null]) => ({ document_id: id, text }));
  return {
    id: `ex_${at}`,
    split: 'train',
    origin: 'manual',
    originId: null,
    tokens: null,
    hash: Buffer.alloc(32),
    content: { negatives: [], positives, query },
  };
}

/** Versions that can be read, and how often each was. */
function library(versions: Record<string, Said[]>, bounds: { maxPairs?: number; maxVersions?: number } = {}) {
  const reads: string[] = [];
  let failures = 0;
  const answers = createKnownAnswers({
    async *examplesOf({ seq }) {
      reads.push(String(seq));
      await Promise.resolve();
      for (const [at, said] of (versions[String(seq)] ?? []).entries()) yield [exampleOf(said, at)];
      if (failures-- > 0) throw new Error('The database is away.');
    },
    ...bounds,
  });
  return { answers, reads, fail: () => (failures = 1) };
}

const refunds: Said[] = [
  { query: 'How do refunds work?', right: [['within five days', 'faq-1']] },
  { query: 'another', right: [['something else']] },
  { query: ' how do  REFUNDS work?', right: [['to your account'], ['by card', 'faq-2']] },
];

test('what any example calls right for a query is known by text and by name, however the query is written', async () => {
  const { answers } = library({ 1: refunds });
  const query = 'How do refunds work?';
  const { isRight } = await answers.of(version(1n), [query]).then((known) => ({
    isRight: (text: string, id: string | null = null) => known.isRight(query, document(text, id)),
  }));
  for (const text of ['within five days', 'to your account', 'by card']) assert.ok(isRight(text), text);
  assert.ok(isRight('another part of it', 'faq-2'));
  assert.ok(isRight('by card', 'another name'));
  for (const text of ['something else', 'faq-1', 'by cards']) assert.ok(!isRight(text), text);
  assert.ok(!isRight('another part', 'faq-3'));
});

test('a version is read once for all who ask, and again after it could not be read', async () => {
  const { answers, reads, fail } = library({ 1: refunds, 2: [] });
  fail();
  const first = await Promise.allSettled([answers.of(version(1n), ['a']), answers.of(version(1n), ['b'])]);
  assert.deepEqual(
    first.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  for (const known of await Promise.all([1, 2, 3].map(() => answers.of(version(1n), ['another']))))
    assert.ok(known.isRight('another', document('something else')));
  await answers.of(version(1n), ['another']);
  assert.deepEqual(reads, ['1', '1']);
  assert.ok(!(await answers.of(version(2n), ['another'])).isRight('another', document('something else')));
});

test('a version with more answers than there is room for is known as well, and those used last are kept', async () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ query: `q${at % 3}`, right: [[`text ${at}`]] as [string][] }));
  const one: Said[] = [{ query: 'q', right: [['a'], ['b'], ['c']] }];
  const { answers, reads } = library({ 1: many, 2: one, 3: one, 4: one }, { maxPairs: 6 });
  const known = await answers.of(version(1n), ['q1', 'q2']);
  for (const [query, text, isRight] of [
    ...([1, 4, 7].map((at) => ['q1', `text ${at}`, true]) as [string, string, boolean][]),
    ...([2, 5, 8].map((at) => ['q2', `text ${at}`, true]) as [string, string, boolean][]),
    ['q1', 'text 2', false] as const,
  ])
    assert.equal(known.isRight(query, document(text)), isRight, `${query} ${text}`);
  reads.length = 0;
  for (const seq of [2n, 3n, 2n, 4n, 2n, 3n]) await answers.of(version(seq), ['q']);
  assert.deepEqual(reads, ['2', '3', '4', '3']);
});

test('of versions with few answers or none no more are kept than of others', async () => {
  const { answers, reads } = library({ 1: refunds, 2: [], 3: [] }, { maxVersions: 2 });
  for (const seq of [1n, 2n, 1n, 3n, 1n, 2n, 3n]) await answers.of(version(seq), ['q']);
  assert.deepEqual(reads, ['1', '2', '3', '2', '3']);
});
