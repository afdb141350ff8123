import { createBatcher, type Database, isUnavailable } from '#db';
import { type ReportOutcome, settleKnown } from './known-events.ts';
import type { NewEvent } from './new-event.ts';
import { deleteVacantNames, insertEvents } from './report.store.ts';

export type Reporter = ReturnType<typeof createReporter>;

/** Two: while one statement waits for the disk, the next one is worked on. */
const lanes = 2;
/** Requests that share a statement, and the size up to which a request shares at all, characters. */
const requestsOfStatement = 8;
const sharedSize = 600_000;
/**
 * Attempts to insert an event whose external id is taken: the event that has it may be removed between two
 * statements, which frees the id. More than once in a row is practically impossible.
 */
const rounds = 3;

/** Takes events in; of clients that report at the same time, the events share statements. */
export function createReporter({ database, minStrength }: { database: Database; minStrength: number }) {
  const batcher = createBatcher<readonly NewEvent[], PromiseSettledResult<Added>>({
    name: 'feedback.insert_events',
    lanes,
    maxItems: requestsOfStatement,
    run: (requests) => insertTogether(database, requests),
  });

  async function insertShared(events: readonly NewEvent[]): Promise<Added> {
    if (sizeOf(events) > sharedSize) return insert(database, events);
    const result = await batcher.submit(events);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  return {
    /** One outcome per event, in the same order. */
    report: (events: readonly NewEvent[]) => settleAll(database, { events, insert: insertShared, minStrength }),
    /** The same in the database, or the transaction, of one request. */
    reportIn: (within: Database, events: readonly NewEvent[]) =>
      settleAll(within, { events, insert: (some) => insert(within, some), minStrength }),
  };
}

type Added = ReadonlySet<string>;

async function insert(database: Database, events: readonly NewEvent[]): Promise<Added> {
  return new Set(await insertEvents(database, events));
}

/**
 * Inserts the events of several requests in one statement. If the database refuses it for what it contains, each
 * request gets a statement of its own.
 */
async function insertTogether(
  database: Database,
  requests: readonly (readonly NewEvent[])[],
): Promise<PromiseSettledResult<Added>[]> {
  try {
    const value = await insert(database, requests.flat());
    return requests.map(() => ({ status: 'fulfilled', value }));
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return Promise.allSettled(requests.map((events) => insert(database, events)));
  }
}

type Settling = {
  events: readonly NewEvent[];
  insert: (events: readonly NewEvent[]) => Promise<Added>;
  minStrength: number;
};

async function settleAll(database: Database, { events, insert, minStrength }: Settling): Promise<ReportOutcome[]> {
  const settled = new Map<string, ReportOutcome>();
  let open = events;
  for (let round = 0; round < rounds && open.length > 0; round++) {
    const added = await insert(open);
    for (const { id } of open) if (added.has(id)) settled.set(id, { status: 'created', id });
    const taken = open.filter(({ id }) => !added.has(id));
    const outcomes = taken.length > 0 ? await settleKnown(database, taken, minStrength) : [];
    open = taken.filter(({ id }, index) => {
      const outcome = outcomes[index];
      if (outcome) settled.set(id, outcome);
      return !outcome;
    });
    if (open.length > 0) await deleteVacantNames(database, open);
  }
  return events.map(({ id }) => {
    const outcome = settled.get(id);
    if (!outcome) throw new Error('An event was neither added nor found. This is a bug.');
    return outcome;
  });
}

function sizeOf(events: readonly NewEvent[]): number {
  return events.reduce((size, { results, query }) => size + results.length + query.length, 0);
}
