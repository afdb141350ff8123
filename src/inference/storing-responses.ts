import { setTimeout as sleep } from 'node:timers/promises';
import type { Billing, Charge } from '#billing';
import { createBatcher, type Database, type Sql } from '#db';
import {
  createInFlight,
  createIntervalTasks,
  fault,
  isStorable,
  isUnavailableFault,
  type Log,
  storable,
} from '#kernel';
import { chargeFromJson, chargeToJson } from './kept-calls.ts';
import {
  deleteExpiredResponses,
  deleteOldestResponses,
  deleteResponse,
  type FoundResponse,
  findChain,
  findResponse,
  insertResponses,
  type StoredResponseRow,
} from './stored-responses.store.ts';
import {
  fitsStore,
  type NewStoredResponse,
  type ResponseStore,
  type StoredResponse,
  storedBytes,
} from './stored-responses.ts';

/** Responses that are kept beyond their calls, for the wiring. */
export type StoringResponses = {
  /** Null: nothing is stored here. */
  store: ResponseStore | null;
  /** Removes what is past its time, from time to time. */
  start: () => void;
  /** One round of that. */
  runAll: () => Promise<void>;
  stop: () => Promise<void>;
};

export type StoringOptions = {
  database: Database;
  billing: Pick<Billing, 'settle'>;
  log?: Pick<Log, 'warn'>;
  /** 0: nothing is stored. */
  retentionDays: number;
  /** What an account may have stored, about; the oldest responses make room for new ones. */
  accountBytes: number;
  random?: () => number;
};

export const chainBounds = { mostResponses: 1_000, mostBytes: 4 * 1024 * 1024 };

/** Of one statement: a response may have two megabytes. */
const batchRows = 16;
const lanes = 2;
/** As long as a charge waits for the database. */
const patienceMs = 10_000;
const [firstPauseMs, longestPauseMs] = [20, 1_000];
const sweepEveryMs = 10 * 60_000;
const sweptRows = 200;
/** Room is made once in so many parts of what an account may have stored. */
const parts = 16;

export function createStoredResponses(options: StoringOptions): StoringResponses {
  const { database, billing, log, retentionDays, accountBytes, random = Math.random } = options;
  const trimming = createInFlight();
  const writer = createBatcher<StoredResponseRow, unknown>({
    ...{ name: 'inference.store_responses', lanes, maxItems: batchRows },
    run: async (rows) => writeTogether(database, rows),
  });
  const sweep = createIntervalTasks({
    tasks: {
      'expired responses': async (isStopped) => {
        while (!isStopped() && (await deleteExpiredResponses(database, retentionDays, sweptRows)) > 0);
      },
    },
    pauseMs: sweepEveryMs,
    onError: (err) => log?.warn({ err }, 'expired responses are not removed yet'),
  });

  /** A response that is there already may be asked to be stored again: trouble with the database is waited out. */
  async function writePatiently(row: StoredResponseRow): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const problem = await writer.submit(row).catch((error: unknown) => error);
      if (problem === null) return;
      if (!isUnavailableFault(problem) || performance.now() + pauseMs > giveUpAt) throw problem;
      await sleep(pauseMs);
    }
  }

  /** Adding up what an account has stored costs more than storing a response, so that few of them do it: larger ones sooner. */
  function makeRoom({ accountId, bytes }: StoredResponseRow): void {
    if (random() * accountBytes >= bytes * parts) return;
    trimming
      .track(deleteOldestResponses(database, accountId, accountBytes))
      .catch((err: unknown) => log?.warn({ err, accountId }, 'old responses of an account are not removed yet'));
  }

  /** What was found, paid for. A charge happens once, however often it is sent. */
  async function pay(found: readonly FoundResponse[]): Promise<StoredResponse[]> {
    const charges = found.flatMap(({ charge }) => (charge === null ? [] : [chargeFromJson(charge)]));
    await Promise.all(charges.map((charge) => billing.settle(charge)));
    return found.map(({ response }) => response);
  }

  const store: ResponseStore = {
    async keep({ response, charge }, tx) {
      const row = rowOf(response, charge);
      if (!fitsStore(row.bytes)) return;
      if (tx) await insertResponses(tx, [row]);
      else await writePatiently(row);
      makeRoom(row);
    },

    of({ accountId, project }) {
      const owner = { accountId, projectId: project.id };
      const address = (id: string) => ({ ...owner, id, retentionDays });

      async function find(id: string): Promise<StoredResponse | null> {
        const found = isStorable(id) ? await findResponse(database, address(id)) : null;
        const [response = null] = found ? await pay([found]) : [];
        return response;
      }

      return {
        find,

        async chain(id) {
          if (!isStorable(id)) return null;
          const { responses, isWhole, isTooLong } = await findChain(database, address(id), chainBounds);
          if (isTooLong) throw tooLong();
          return isWhole ? pay(responses) : null;
        },

        remove: async (id) => (await find(id)) !== null && (await deleteResponse(database, { ...owner, id })),
      };
    },
  };

  return {
    store: retentionDays > 0 ? store : null,
    start: sweep.start,
    runAll: sweep.runAll,
    stop: async () => {
      await Promise.all([sweep.stop(), trimming.drained()]);
    },
  };
}

function rowOf(response: NewStoredResponse, charge: Charge): StoredResponseRow {
  const { id, previousId, model } = response;
  // JSON has no character that PostgreSQL cannot store: they are escaped.
  const [input, body] = [JSON.stringify(response.input), JSON.stringify(response.body)];
  return {
    ...{
      projectId: charge.projectId,
      accountId: charge.accountId,
      id,
      previousId,
      model: storable(model),
      input,
      body,
    },
    bytes: storedBytes(input, body),
    charge: JSON.stringify(chargeToJson(charge)),
  };
}

/** What one response has failed with, for each; null: it is stored. One that cannot be stored holds up no other. */
async function writeTogether(sql: Sql, rows: readonly StoredResponseRow[]): Promise<unknown[]> {
  try {
    await insertResponses(sql, rows);
    return rows.map(() => null);
  } catch (error) {
    if (rows.length === 1 || isUnavailableFault(error)) return rows.map(() => error);
    const outcomes = await Promise.all(rows.map((row) => writeTogether(sql, [row])));
    return outcomes.flat();
  }
}

function tooLong() {
  const { mostResponses, mostBytes } = chainBounds;
  return fault('invalid_request', {
    param: 'previous_response_id',
    message: `previous_response_id names a conversation of more than ${mostResponses} responses or ${mostBytes} bytes, which is more than can be gone on from. Send the messages that the model is to see in input, without previous_response_id.`,
  });
}
