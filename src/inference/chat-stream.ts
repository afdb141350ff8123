import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { Delta, Finished } from '#engine';
import { openSse, type SseStream } from '#http';
import { Fault, fault } from '#kernel';
import { type createFrames, errorFrame } from './chat-wire.ts';
import { callerGone } from './entry.ts';

/**
 * The frames of one streamed chat answer: role, deltas, finish, usage if asked, `[DONE]`; or an error frame and no
 * `[DONE]`. The 200 and its headers leave with the first delta, so that every failure before it can be a JSON error.
 */
export function createChatStream(reply: FastifyReply, frames: ReturnType<typeof createFrames>) {
  const gone = new AbortController();
  callerGone(reply).addEventListener('abort', () => gone.abort(), { once: true });
  let sse: SseStream | null = null;

  const send = (list: string[]) => {
    if (gone.signal.aborted) return;
    if (sse) return sse.frames(list);
    sse = openSse(reply, () => gone.abort());
    sse.frames([frames.role(), ...list]);
  };

  return {
    /** Aborted when the client is gone, or reads so slowly that its backlog exceeds the bound. */
    signal: gone.signal,
    opened: () => sse !== null,
    delta: (delta: Delta) => send(frames.delta(delta)),
    finish(finished: Finished, includeUsage: boolean): void {
      const last = [frames.finish(finished)];
      if (includeUsage) last.push(frames.usage(finished.usage));
      if (finished.reason !== 'cancelled') send([...last, '[DONE]']);
      sse?.end();
    },
    fail(error: unknown, log: FastifyBaseLogger): void {
      const failure = error instanceof Fault ? error : fault('generation_failed', { cause: error });
      log.error({ err: error, fault: failure.row.code }, 'stream failed');
      send([errorFrame(failure)]);
      sse?.end();
    },
  };
}
