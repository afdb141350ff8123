import { Agent, request } from 'node:http';
import { searchWords } from '#datasets';
import { type Database, openDatabase } from '#db';
import { ascendingIds, newId } from '#kernel';
import { median } from './load.ts';
import { startServed } from './served.ts';
import type { Row } from './table.ts';

const rounds = 3;
const batches = 120;
const batchEvents = 100;
const clients = 4;
const resultsPerEvent = 10;

/**
 * Batches of retrieval events over HTTP into the whole program, every one new and on disk when its answer comes, against
 * raw multi-row inserts of the same rows into a table like theirs, by as many clients. Rounds of the two alternate.
 */
export async function benchFeedback(): Promise<Row[]> {
  const served = await startServed();
  const database = await openDatabase({ url: served.databaseUrl, maxConnections: clients });
  try {
    await database.query('create table raw_events (like retrieval_events including all)');
    await database.query('create unique index on raw_events (dataset_id, external_id)');
    const path = await makeDataset(served);
    const rates = { ours: [] as number[], raw: [] as number[] };
    await report(served, path, makeBatches(clients * 4));
    for (let round = 0; round < rounds; round++) {
      const made = makeBatches(batches);
      rates.raw.push(await insertRaw(database, made));
      rates.ours.push(await report(served, path, made));
    }
    const [ours, raw] = [median(rates.ours), median(rates.raw)];
    return [
      {
        name: `retrieval events a second, batches of ${batchEvents}, ${clients} clients`,
        ratio: ours,
        goal: 5_000,
        sense: 'at least',
        figures: `raw multi-row insert of the same rows ${raw.toFixed(0)}/s (${(ours / raw).toFixed(2)}); ${resultsPerEvent} results, ${Math.round(bytesPerEvent())} bytes an event`,
      },
    ];
  } finally {
    await database.close();
    await served.stop();
  }
}

type Event = ReturnType<typeof makeEvent>;
type Batch = { events: Event[]; body: Buffer };

const vocabulary =
  'refund parcel lamp button repair router invoice account window battery garden engine delivery size colour return password screen kettle ladder printer camera heater charger price order address warranty manual store'.split(
    ' ',
  );

const any = (count: number) => Math.floor(Math.random() * count);
const words = (count: number) =>
  Array.from({ length: count }, () => `${vocabulary[any(vocabulary.length)]}${any(9) === 0 ? any(99) : ''}`).join(' ');

/** A search with ten passages, of which one was clicked. */
function makeEvent() {
  const results = Array.from({ length: resultsPerEvent }, (_, at) => ({
    rank: at + 1,
    document_id: `document-${any(1_000_000)}`,
    text: words(30),
    score: Math.random(),
  }));
  const judgments = [{ rank: 1 + any(5), label: 'positive', signal: 'click' }];
  return { external_id: newId('req'), query: words(6), results, judgments, model: 'fanfold-tiny-embed' };
}

function makeBatches(count: number): Batch[] {
  return Array.from({ length: count }, () => {
    const events = Array.from({ length: batchEvents }, makeEvent);
    return { events, body: Buffer.from(JSON.stringify({ events })) };
  });
}

const bytesPerEvent = () => (makeBatches(1)[0]?.body.length ?? 0) / batchEvents;

type Served = Awaited<ReturnType<typeof startServed>>;

async function makeDataset({ url, key }: Served): Promise<string> {
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return response.json();
  };
  const page = (await ask('/api/v1/projects?kind=embedding')) as { data: { owner: { slug: string }; slug: string }[] };
  const [project] = page.data;
  if (!project) throw new Error('The program made no embedding project.');
  const prefix = `/api/v1/projects/${project.owner.slug}/${project.slug}/datasets`;
  const { id } = (await ask(prefix, { name: 'Clicks' })) as { id: string };
  return `${prefix}/${id}/retrieval-events/batch`;
}

/** Events per second. */
async function timed(made: readonly Batch[], send: (batch: Batch) => Promise<void>): Promise<number> {
  const queue = made.values();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const batch of queue) await send(batch);
    }),
  );
  return (made.length * batchEvents) / ((performance.now() - began) / 1000);
}

async function report({ url, key }: Served, path: string, made: readonly Batch[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const rate = await timed(made, async ({ body }) => {
    const text = await post(
      { agent, hostname, port, path, headers: { ...headers, 'content-length': body.length } },
      body,
    );
    if (!text.endsWith(`"created":${batchEvents},"duplicates":0,"rejected":0}`)) throw new Error(text.slice(-300));
  });
  agent.destroy();
  return rate;
}

function post(options: object, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ ...options, method: 'POST' }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    call.on('error', reject);
    call.end(body);
  });
}

const rawColumns =
  'dataset_id, id, external_id, body_digest, state, query, results, judgments, model, details, words'.split(', ');
const rawStatement = `insert into raw_events (${rawColumns.join(', ')}) values ${Array.from(
  { length: batchEvents },
  (_, row) => `(${rawColumns.map((__, column) => `$${row * rawColumns.length + column + 1}`).join(', ')})`,
).join(', ')}`;

async function insertRaw(database: Database, made: readonly Batch[]): Promise<number> {
  const datasetId = newId('ds');
  const nextId = ascendingIds('rev');
  const valuesOf = new Map(
    made.map((batch) => [batch, batch.events.flatMap((event) => rawRow(event, datasetId, nextId()))]),
  );
  return timed(made, async (batch) => {
    await database.query(rawStatement, valuesOf.get(batch), { name: 'bench.raw_insert' });
  });
}

function rawRow({ external_id: externalId, query, results, judgments, model }: Event, datasetId: string, id: string) {
  const texts = [JSON.stringify(results), JSON.stringify(judgments)];
  const words = searchWords({ query, positives: [], negatives: [] });
  return [datasetId, id, externalId, Buffer.alloc(32), 'pending', query, ...texts, model, null, words];
}
