import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { Fault, isFields } from '#kernel';
import { fc } from '#test/properties.ts';
import { labels, limits, signals } from './event.ts';
import { newEvent } from './new-event.ts';
import { readReportedEvent as read } from './read-event.ts';
import { reportedEventSchema } from './reported.schema.ts';

const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .filter((it) => it.trim() !== '' && it.length <= maxLength && !it.includes('\0') && it.isWellFormed());

const validEvent = fc
  .uniqueArray(fc.integer({ min: 1, max: limits.maxRank }), { minLength: 1, maxLength: 8 })
  .chain((ranks) =>
    fc.record(
      {
        query: text(40),
        results: fc.tuple(
          ...ranks.map((rank) =>
            fc.record(
              {
                rank: fc.constant(rank),
                text: text(60),
                document_id: fc.option(text(20)),
                score: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
              },
              { requiredKeys: ['rank', 'text'] },
            ),
          ),
        ),
        judgments: fc.array(
          fc.record(
            {
              rank: fc.constantFrom(...ranks),
              label: fc.constantFrom(...labels),
              signal: fc.option(fc.constantFrom(...signals)),
              strength: fc.double({ min: 0, max: 1, noNaN: true }),
            },
            { requiredKeys: ['rank', 'label'] },
          ),
          { maxLength: 5 },
        ),
        external_id: fc.option(text(20)),
        model: fc.option(text(20)),
        user_ref: text(20),
        occurred_at: fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
          .map((it) => it.toISOString()),
        metadata: fc.dictionary(
          text(10).filter((key) => !/(embedding|vector)s?$/i.test(key)),
          text(20),
          { maxKeys: 4 },
        ),
      },
      { requiredKeys: ['query', 'results'] },
    ),
  );

test('every valid event is read as it was sent, with its results by rank and what is left out filled in', () => {
  fc.assert(
    fc.property(validEvent.map(overTheWire), (sent) => {
      const event = read(sent);
      assert.equal(event.query, sent.query);
      assert.equal(event.externalId, sent.external_id ?? null);
      assert.equal(event.model, sent.model ?? null);
      assert.deepEqual(
        event.results,
        sent.results
          .map((result) => ({ document_id: null, score: null, ...result }))
          .toSorted((a, b) => a.rank - b.rank),
      );
      assert.deepEqual(
        event.judgments,
        (sent.judgments ?? []).map((judgment) => ({ document_id: null, signal: null, strength: 1, ...judgment })),
      );
      assert.deepEqual(event.details.metadata, sent.metadata ?? {});
      assert.equal(event.details.occurred_at, sent.occurred_at ?? null);
    }),
  );
});

/** As it arrives: there is no negative zero in JSON. */
function overTheWire<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

test('the digest of an event does not depend on the order of results and fields, and on judgments', () => {
  const digest = (value: unknown) => newEvent(read(value), { datasetId: 'd', id: 'i' }, 0.5).digest;
  fc.assert(
    fc.property(validEvent, (sent) => {
      const { judgments: _, ...rest } = sent;
      const turned = Object.fromEntries(Object.entries({ ...rest, results: sent.results.toReversed() }).toReversed());
      assert.equal(digest(turned), digest(sent));
      assert.notEqual(digest({ ...sent, query: `${sent.query}!` }), digest(sent));
      const [first, ...others] = sent.results;
      assert.notEqual(digest({ ...sent, results: [{ ...first, text: `${first?.text}!` }, ...others] }), digest(sent));
      assert.notEqual(digest({ ...sent, metadata: { ...sent.metadata, other: 'x' } }), digest(sent));
    }),
  );
});

test('whatever is sent, it is read or refused with the path of a field', () => {
  const spoiled = validEvent.chain((event) =>
    fc.record({
      event: fc.constant(event),
      name: fc.constantFrom(...Object.keys(event), 'embedding', 'extra'),
      value: fc.jsonValue({ maxDepth: 3 }),
    }),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        spoiled.map(({ event, name, value }) => ({ ...event, [name]: value })),
      ),
      (sent) => {
        try {
          assert.ok(read(sent).query.length > 0);
        } catch (error) {
          assert.ok(error instanceof Fault, String(error));
          assert.match(error.options.param ?? '', isFields(sent) ? /^[a-z_]+/ : /^$/);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a vector is found wherever it hides', () => {
  const event = { query: 'q', results: [{ rank: 1, text: 't' }] };
  const vector = Array.from({ length: 16 }, (_, at) => at / 16);
  for (const [change, param] of [
    [{ a: { b: [{ c: vector }] } }, 'a.b[0].c'],
    [{ a: [vector] }, 'a[0]'],
    [{ a: { sentence_embedding: 'AAAA' } }, 'a.sentence_embedding'],
    [{ Embeddings: {} }, 'Embeddings'],
  ] as const)
    assert.throws(
      () => read({ ...event, ...change }),
      (error) => error instanceof Fault && error.options.param === param,
    );
  for (const change of [
    { categories: [1, 2, 3] },
    { embedding: null },
    { vectorised: true },
    { list: Array(20).fill('x') },
  ])
    assert.equal(read({ ...event, ...change }).query, 'q');
});

test('events are taken up to the very limits that are published, in characters and not in code units', () => {
  const published = Compile(reportedEventSchema);
  const refusedAt = (event: unknown) => {
    try {
      read(event);
      return null;
    } catch (error) {
      assert.ok(error instanceof Fault, String(error));
      return error.options.param;
    }
  };
  const of = (length: number) => '\u{1F600}'.repeat(length);
  const result = { rank: 1, text: 't' };
  const event = { query: 'q', results: [result] };
  for (const [most, param, withLength] of [
    [limits.maxQuery, 'query', (length: number) => ({ query: of(length) })],
    [limits.maxName, 'external_id', (length: number) => ({ external_id: of(length) })],
    [limits.maxName, 'user_ref', (length: number) => ({ user_ref: of(length) })],
    [limits.maxModel, 'model', (length: number) => ({ model: of(length) })],
    [limits.maxText, 'results[0].text', (length: number) => ({ results: [{ ...result, text: of(length) }] })],
    [
      limits.maxId,
      'results[0].document_id',
      (length: number) => ({ results: [{ ...result, document_id: of(length) }] }),
    ],
    [limits.metadataValue, 'metadata.a', (length: number) => ({ metadata: { a: of(length) } })],
    [limits.metadataKey, 'metadata', (length: number) => ({ metadata: { [of(length)]: 'a' } })],
    [limits.maxRank, 'results[0].rank', (rank: number) => ({ results: [{ ...result, rank }] })],
  ] as const) {
    const [taken, refused] = [withLength(most), withLength(most + 1)].map((change) => ({ ...event, ...change }));
    assert.deepEqual([refusedAt(taken), published.Check(taken)], [null, true], param);
    assert.deepEqual([refusedAt(refused), published.Check(refused)], [param, false], param);
  }
  const silent = { ...event, metadata: { a: '' } };
  assert.deepEqual([refusedAt(silent), published.Check(silent)], [null, true]);
  const parts = Array.from({ length: limits.maxTexts / limits.maxText }, (_, at) => ({
    rank: at + 1,
    text: of(limits.maxText),
  }));
  assert.equal(refusedAt({ ...event, results: parts }), null);
  assert.equal(refusedAt({ ...event, results: [...parts, { rank: 50, text: 'x' }] }), 'results');
});
