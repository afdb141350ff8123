import type { FastifyInstance } from 'fastify';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { PrincipalCalls } from '#inference';
import type { CursorCodec, Log } from '#kernel';
import { chatsRoutes } from './chats.routes.ts';
import type { LiveAnswer } from './live-answer.ts';
import { messagesRoutes } from './messages.routes.ts';
import { saveExampleRoutes } from './save-example.routes.ts';
import { type ChatSweepOptions, createSweep } from './sweep.ts';

export type ChatsOptions = Pick<ChatSweepOptions, 'tidyMs'> & {
  database: Database;
  cursors: CursorCodec;
  calls: PrincipalCalls;
  datasets: Datasets;
  log: Pick<Log, 'warn'>;
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
      await app.register(messagesRoutes({ ...options, running }));
      await app.register(saveExampleRoutes(options));
    },
    start,
    stop,
  };
}
