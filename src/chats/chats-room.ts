import type { FastifyInstance } from 'fastify';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { PrincipalCalls } from '#inference';
import { type CursorCodec, createIntervalTask, type IntervalTask, joinIntervalTasks, type Log } from '#kernel';
import { chatsRoutes } from './chats.routes.ts';
import { imagesRoutes } from './images.routes.ts';
import { defaultImageBytes } from './images.ts';
import { type LiveAnswer, lost } from './live-answer.ts';
import { messagesRoutes } from './messages.routes.ts';
import { saveExampleRoutes } from './save-example.routes.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

export type ChatsOptions = Pick<ChatSweepOptions, 'tidyMs'> & {
  database: Database;
  cursors: CursorCodec;
  calls: PrincipalCalls;
  datasets: Datasets;
  log: Pick<Log, 'warn'>;
  /** What the images of one account may take. */
  imageBytes?: number;
};

export type Chats = {
  routes: (app: FastifyInstance) => Promise<void>;
  start: () => void;
  /** Rejects never. */
  stop: () => Promise<void>;
};

export function createChats(options: ChatsOptions): Chats {
  const running = new Map<string, LiveAnswer>();
  const { start, stop } = createSweep(options);
  return {
    routes: async (app) => {
      await app.register(chatsRoutes(options));
      await app.register(messagesRoutes({ imageBytes: defaultImageBytes, ...options, running }));
      await app.register(saveExampleRoutes(options));
      await app.register(imagesRoutes(options));
    },
    start,
    stop,
  };
}

const lookEveryMs = 10_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

type ChatSweepOptions = {
  database: Database;
  log: Pick<Log, 'warn'>;
  /** Pause between looks for what has been left for a minute and more. */
  tidyMs?: number;
};

/** Ends answers that nobody makes any more. */
export function createSweep({ tidyMs = 30_000, ...deps }: ChatSweepOptions): IntervalTask {
  async function tidy(): Promise<void> {
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
  }

  const onError = (error: unknown) => deps.log.warn({ err: error }, 'chat maintenance failed');
  return joinIntervalTasks([
    createIntervalTask({
      pauseMs: lookEveryMs,
      first: 'after a pause',
      work: () => endLostAnswers(deps.database, lost, null),
      onError,
    }),
    createIntervalTask({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onError }),
  ]);
}
