import type { Database, Sql } from '#db';
import { createInFlight, createIntervalTasks, fault, isStorable, type Log, storable } from '#kernel';
import {
  deleteExpiredResponses,
  deleteOldestResponses,
  deleteResponse,
  findChain,
  findResponse,
  insertResponses,
  type StoredResponseRow,
} from './stored-responses.store.ts';
import {
  fitsStore,
  type NewStoredResponse,
  type ResponseCaller,
  type ResponseStore,
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
  log?: Pick<Log, 'warn'>;
  /** 0: nothing is stored. */
  retentionDays: number;
  /** What an account may have stored, about; the oldest responses make room for new ones. */
  accountBytes: number;
  random?: () => number;
};

export const chainBounds = { mostResponses: 1_000, mostBytes: 4 * 1024 * 1024 };

const sweepEveryMs = 10 * 60_000;
const sweptRows = 200;
/** Room is made once in so many parts of what an account may have stored. */
const parts = 16;

export function createStoredResponses(options: StoringOptions): StoringResponses {
  const { database, log, retentionDays, accountBytes, random = Math.random } = options;
  const trimming = createInFlight();
  const sweep = createIntervalTasks({
    tasks: {
      'expired responses': async (isStopped) => {
        while (!isStopped() && (await deleteExpiredResponses(database, retentionDays, sweptRows)) > 0);
      },
    },
    pauseMs: sweepEveryMs,
    onError: (err) => log?.warn({ err }, 'expired responses are not removed yet'),
  });

  /** Adding up what an account has stored costs more than storing a response, so that few of them do it: larger ones sooner. */
  function makeRoom({ accountId, bytes }: StoredResponseRow): void {
    if (random() * accountBytes >= bytes * parts) return;
    trimming
      .track(deleteOldestResponses(database, accountId, accountBytes))
      .catch((err: unknown) => log?.warn({ err, accountId }, 'old responses of an account are not removed yet'));
  }

  // as: `attachment` gives rows of this kind only.
  const insert = async (tx: Sql, rows: readonly unknown[]) => {
    const responses = rows as readonly StoredResponseRow[];
    await insertResponses(tx, responses);
  };

  const store: ResponseStore = {
    attachment(caller, response) {
      const row = rowOf(caller, response);
      if (!fitsStore(row.bytes)) return null;
      return { insert, row, stored: () => makeRoom(row) };
    },

    of({ accountId, project }) {
      const owner = { accountId, projectId: project.id };
      const address = (id: string) => ({ ...owner, id, retentionDays });

      const find = async (id: string) => (isStorable(id) ? findResponse(database, address(id)) : null);
      return {
        find,

        async chain(id) {
          if (!isStorable(id)) return null;
          const { responses, isWhole, isTooLong } = await findChain(database, address(id), chainBounds);
          if (isTooLong) throw tooLong();
          return isWhole ? responses : null;
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

function rowOf({ accountId, project }: ResponseCaller, response: NewStoredResponse): StoredResponseRow {
  const { id, previousId, model } = response;
  // JSON has no character that PostgreSQL cannot store: they are escaped.
  const [input, body] = [JSON.stringify(response.input), JSON.stringify(response.body)];
  const bytes = storedBytes(input, body);
  return { projectId: project.id, accountId, id, previousId, model: storable(model), input, body, bytes };
}

function tooLong() {
  const { mostResponses, mostBytes } = chainBounds;
  return fault('invalid_request', {
    param: 'previous_response_id',
    message: `previous_response_id names a conversation of more than ${mostResponses} responses or ${mostBytes} bytes, which is more than can be gone on from. Send the messages that the model is to see in input, without previous_response_id.`,
  });
}
