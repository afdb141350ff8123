import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { type FeedbackServer, type Person, startFeedback } from '../feedback.fixture.ts';

let server: FeedbackServer;

before(async () => {
  server = await startFeedback();
});

after(() => server?.stop());

type Split = 'train' | 'test';
type Promotion = { queries: number[]; isTogether: boolean; choice: { split?: Split; test_ratio?: number } };

const queries = ['money back', 'opening hours', 'gift card', 'lost parcel'];
/** A query is the same however it is written. */
const spellings = [(query: string) => query, (query: string) => `  ${query.toUpperCase()}`];

let answers = 0;

/** A search with another answer each time, so that it is no duplicate. */
async function report({ ask }: Person, events: string, query: number): Promise<string> {
  const text = queries[query] ?? '';
  const spelling = spellings[answers % 2] ?? String;
  const { json } = await ask('POST', events, {
    query: spelling(text),
    results: [{ rank: 1, text: `answer ${answers++} to ${text}` }],
    judgments: [{ rank: 1, label: 'positive' }],
  });
  return json.id;
}

type Place = { split: Split; query: number; leaked: number };

/** Promotes one after the other, or all in one request; the dry run before says the same. */
async function promote(person: Person, events: string, promotion: Promotion): Promise<Place[]> {
  const { ask } = person;
  const ids: string[] = [];
  for (const query of promotion.queries) ids.push(await report(person, events, query));
  const requests = promotion.isTogether
    ? [{ path: `${events}/promote`, body: { ids, ...promotion.choice } }]
    : ids.map((id) => ({ path: `${events}/${id}/promote`, body: promotion.choice }));
  const places: Place[] = [];
  for (const { path, body } of requests) {
    const dry = await ask('POST', path, { ...body, dry_run: true });
    const { json } = await ask('POST', path, body);
    assert.equal(json.leaked_queries, dry.json.leaked_queries);
    const exampleIds: string[] = json.results
      ? json.results.map((each: { example_ids: string[] }) => each.example_ids[0])
      : [json.examples[0].id];
    for (const id of exampleIds) {
      const { json: example } = await ask('GET', `${events.replace(/retrieval-events$/, 'examples')}/${id}`);
      const query = queries.indexOf(example.embedding.query.trim().toLowerCase());
      places.push({ split: example.split, query, leaked: json.leaked_queries });
    }
  }
  return places;
}

const choices = fc.oneof(
  fc.constantFrom(0, 0.2, 0.5).map((ratio) => ({ test_ratio: ratio })),
  fc.constant({}),
);
const promotions = (choice: fc.Arbitrary<Promotion['choice']>) =>
  fc.array(
    fc.record({
      queries: fc.array(fc.nat(queries.length - 1), { minLength: 1, maxLength: 4 }),
      isTogether: fc.boolean(),
      choice,
    }),
    { minLength: 1, maxLength: 3 },
  );

async function newEvents(person: Person): Promise<string> {
  return `${person.project}/datasets/${await person.newDataset()}/retrieval-events`;
}

test('a query stays in one split, in whatever order, form and with whatever share it is promoted', async () => {
  const person = await server.person();
  /** By share and query: the same in every dataset. */
  const assigned = new Map<string, Split>();
  await fc.assert(
    fc.asyncProperty(promotions(choices), async (steps) => {
      const events = await newEvents(person);
      const first = new Map<number, Split>();
      for (const step of steps)
        for (const { query, split, leaked } of await promote(person, events, step)) {
          const name = `${step.choice.test_ratio ?? 0} ${query}`;
          if (!first.has(query)) {
            assert.equal(split, assigned.get(name) ?? split);
            assigned.set(name, split);
          }
          assert.equal(split, first.get(query) ?? split);
          assert.equal(leaked, 0);
          first.set(query, split);
        }
    }),
    { numRuns: 8 },
  );
});

test('only a split that was chosen brings a query into both, and each promotion that leaves it so says so', async () => {
  const person = await server.person();
  const chosen = fc.oneof(
    choices,
    fc.constantFrom<Split>('train', 'test').map((split) => ({ split })),
  );
  await fc.assert(
    fc.asyncProperty(promotions(chosen), async (steps) => {
      const events = await newEvents(person);
      const splits = new Map<number, Split[]>();
      for (const step of steps) {
        const parts = step.isTogether ? [step.queries] : step.queries.map((query) => [query]);
        const places = await promote(person, events, step);
        for (const part of parts) {
          const placed = places.splice(0, part.length);
          for (const { query, split } of placed) {
            const before = splits.get(query) ?? [];
            assert.equal(split, step.choice.split ?? before[0] ?? split);
            splits.set(query, [...before, split]);
          }
          const leaked = [...new Set(part)].filter((query) => new Set(splits.get(query)).size === 2);
          assert.equal(placed[0]?.leaked, leaked.length);
        }
      }
    }),
    { numRuns: 8 },
  );
});

test('a query that another source brought keeps its split, until its last example is removed; events say which', async () => {
  const person = await server.person();
  const { ask, events, project, datasetId } = person;
  const examples = `${project}/datasets/${datasetId}/examples`;
  const added = await ask('POST', examples, {
    examples: [
      { embedding: { query: 'Gift  card', positives: [{ text: 'Cards are sold at the desk.' }] }, split: 'test' },
    ],
  });
  assert.equal(added.json.results[0].status, 'created');
  const id = await report(person, events, 2);
  assert.equal((await ask('GET', `${events}/${id}`)).json.query_split, 'test');
  const dry = await ask('POST', `${events}/${id}/promote`, { dry_run: true });
  assert.deepEqual([dry.json.examples[0].split, dry.json.leaked_queries], ['test', 0]);
  const chosen = await ask('POST', `${events}/${id}/promote`, { split: 'train', dry_run: true });
  assert.deepEqual([chosen.json.examples[0].split, chosen.json.leaked_queries], ['train', 1]);
  const [{ id: exampleId }] = (await ask('GET', examples)).json.data;
  await ask('DELETE', `${examples}/${exampleId}`);
  const [row] = (await ask('GET', events)).json.data;
  assert.deepEqual([row.id, row.query_split], [id, null]);
  const promoted = await ask('POST', `${events}/${id}/promote`);
  assert.deepEqual([promoted.json.examples[0].split, promoted.json.leaked_queries], ['train', 0]);
});
