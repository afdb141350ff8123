import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { type Clock, createIntervalTask, type IntervalTask, joinIntervalTasks, type Log } from '#kernel';
import { voidCallsQuickly } from './calls.store.ts';
import { createDeathWatch } from './death-watch.ts';
import {
  deleteServer,
  listOtherServers,
  listOwnCalls,
  reapServers,
  renewServer,
  type ServerFacts,
} from './servers.store.ts';

export type ReaperTiming = {
  /** Pause between heartbeats. */
  heartbeatMs: number;
  /** Pause between looks for dead servers and orphaned calls. */
  reapMs: number;
  /** Silence after which a server is dead. */
  deadAfterMs: number;
};

export type ReaperOptions = {
  database: Database;
  serverId: string;
  server?: ServerFacts | undefined;
  clock: Clock;
  log: Log | undefined;
  times: ReaperTiming;
  /** Resolves once the server is in the database: calls without a server look abandoned. */
  registered: () => Promise<void>;
  /** Whether a call with this id is open here. */
  isOpen: (callId: string) => boolean;
};

const leaveAttempts = 5;
const leavePauseMs = 500;

/** Shows that this server lives, and ends the calls of dead servers and its own orphaned ones. */
export function createReaper({
  database,
  serverId,
  server,
  clock,
  log,
  times,
  registered,
  isOpen,
}: ReaperOptions): IntervalTask {
  // A look that takes long must not count as silence of the others.
  const watch = createDeathWatch({ deadAfterMs: times.deadAfterMs, longestGapMs: times.reapMs * 1.2 });

  async function reap(): Promise<void> {
    const dead = watch.observe(await listOtherServers(database, serverId), clock.monotonicMs());
    if (dead.length > 0) {
      const calls = await reapServers(database, dead);
      log?.info({ servers: dead.map(({ id }) => id), calls }, 'calls of dead servers reaped');
    }
    // Calls whose beginning or end had an unknown outcome. A call is open before its row can be seen here.
    const orphans = (await listOwnCalls(database, serverId)).filter((callId) => !isOpen(callId));
    if (orphans.length > 0) await voidCallsQuickly(database, orphans, 0);
  }

  async function sendHeartbeat(): Promise<void> {
    await registered();
    await renewServer(database, serverId, server);
  }

  async function leave(): Promise<void> {
    await deleteServer(database, serverId);
    await reapServers(database, [{ id: serverId, seenAt: null }]);
  }

  const tasks = joinIntervalTasks([
    createIntervalTask({
      pauseMs: times.heartbeatMs,
      first: 'at once',
      work: sendHeartbeat,
      onError: (err) => log?.warn({ err, serverId }, 'heartbeat failed'),
    }),
    createIntervalTask({
      pauseMs: times.reapMs,
      first: 'at once',
      work: reap,
      onError: (err) => log?.warn({ err, serverId }, 'reaping of dead servers failed'),
    }),
  ]);

  return {
    start: tasks.start,
    async stop() {
      await tasks.stop();
      for (let attempt = 1; attempt <= leaveAttempts; attempt++) {
        try {
          return await leave();
        } catch (error) {
          // Then the other servers, or the next start, find the calls of a dead server.
          if (attempt === leaveAttempts)
            log?.warn({ err: error, serverId }, 'server stopped without giving its calls back');
          else await sleep(leavePauseMs);
        }
      }
    },
  };
}
