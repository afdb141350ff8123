import type { FastifyInstance } from 'fastify';
import { createGracefulShutdown } from './app/graceful-shutdown.ts';
import type { AppOptions } from './app/infrastructure.ts';
import { openRooms, type Rooms } from './app/rooms.ts';
import { openServer } from './app/server.ts';

export type App = {
  server: FastifyInstance;
  /** Ends everything that was started here, in order; calls that still run get `drainMs`. */
  close: (drainMs: number) => Promise<void>;
};

/** Puts the rooms together: what they need of each other is wired in `app/`. */
export async function createApp(options: AppOptions): Promise<App> {
  const rooms = await openRooms(options);
  const server = await openServer(options, rooms);
  try {
    await start(rooms);
  } catch (error) {
    // Whoever opened the database closes it now, so the parts that have begun must end first. Only the first error is
    // reported.
    await close(rooms, server, 0).catch(() => {});
    throw error;
  }
  return { server, close: (drainMs) => close(rooms, server, drainMs) };
}

async function start(rooms: Rooms): Promise<void> {
  const { works, hosting } = rooms;
  await rooms.months.start({ works });
  await rooms.serving.start();
  rooms.credits.start({ works });
  rooms.calls.start();
  rooms.keyUsage.start();
  await rooms.jobs.start();
  await rooms.datasets.start();
  await hosting.start();
  await rooms.indexes.start();
  if (works) {
    rooms.saved.start();
    rooms.storing.start();
    rooms.chats.start();
    rooms.training.start(hosting.deploy);
    rooms.imports.start();
    rooms.feedback.start();
    rooms.projectRemoval.start();
    rooms.accountRemoval.removal.start();
  }
  await startTelemetry(rooms);
}

async function startTelemetry({ telemetry, database, models, engine, saved, probe }: Rooms): Promise<void> {
  const observed = {
    models: () => models.baseModels().flatMap(({ id, installed, isRemote }) => (installed || isRemote ? id : [])),
    runtime: (model: string) => ({ ...engine.status(model), ...engine.load(model) }),
    database: database.connections,
    savedCalls: saved.autoSave.counts,
  };
  await telemetry.start(observed, probe);
}

async function close(rooms: Rooms, server: FastifyInstance, drainMs: number): Promise<void> {
  rooms.telemetry.ending();
  const shutdown = createGracefulShutdown({ url: rooms.database.url, log: rooms.log });
  // In reverse: calls end first, then accounting and key usage are written, then the models go.
  await using parts = new AsyncDisposableStack();
  parts.defer(rooms.telemetry.stop);
  parts.defer(rooms.objects.close);
  parts.defer(rooms.tokenCounter.close);
  parts.defer(rooms.closeEncoder);
  parts.defer(rooms.engine.close);
  parts.defer(rooms.training.closeRunner);
  parts.defer(shutdown.end);
  const { serving, months, keyUsage, credits, calls } = rooms;
  const { saved, storing, chats, hosting, imports, indexes, feedback, projectRemoval, accountRemoval } = rooms;
  for (const part of [serving, months, keyUsage, credits, calls]) parts.defer(shutdown.stopPart(part.stop));
  const { removal } = accountRemoval;
  for (const room of [saved, storing, chats, hosting, imports, indexes, feedback, projectRemoval, removal])
    parts.defer(shutdown.stopPart(room.stop));
  parts.defer(shutdown.stopPart(() => stopWorking(rooms, drainMs)));
  parts.defer(shutdown.callsAreOver);
  parts.defer(() => server.drain({ graceMs: drainMs }));
}

/** Work in the background is tried again elsewhere; it need not hold up the end. */
async function stopWorking({ jobs, training }: Rooms, drainMs: number): Promise<void> {
  await Promise.all([training.stop(), jobs.stop(Math.min(drainMs, 5_000))]);
}
