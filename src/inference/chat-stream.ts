import type { FastifyReply } from 'fastify';
import type { Finished } from '#engine';
import { type Caller, type EventStream, openSse } from '#http';
import { Fault, fault } from '#kernel';
import type { AttendedCall } from './attended-call.ts';
import {
  type ChatCompletion,
  type createFrames,
  framesOfCompletion,
  type NamedDelta,
  usageToWire,
} from './chat-wire.ts';

/**
 * The frames of one streamed chat answer: role, deltas, finish, usage if asked, `[DONE]`; or an error frame and no
 * `[DONE]`. The 200 and its headers leave with the first delta, so that every failure before it can be a JSON error; and not
 * before the call is confirmed.
 */
export function createChatStream(
  { reply, caller, confirmed }: Pick<AttendedCall, 'reply' | 'caller' | 'confirmed'>,
  frames: ReturnType<typeof createFrames>,
) {
  let sse: EventStream | null = null;
  /** What came before the admission did. */
  let early: NamedDelta[] | null = confirmed && [];
  confirmed?.then(tellEarly, () => {});

  const open = () => {
    sse = openSse({ reply, caller });
    return sse;
  };

  function tellEarly(): void {
    const deltas = early ?? [];
    early = null;
    if (deltas.length > 0 && !caller.signal.aborted) open().frames([frames.role(), ...deltas.flatMap(frames.delta)]);
  }

  return {
    delta(delta: NamedDelta): void {
      if (sse) sse.frames(frames.delta(delta));
      else if (early) early.push(delta);
      else if (!caller.signal.aborted) open().frames([frames.role(), ...frames.delta(delta)]);
    },
    /** The good end; for a caller who has left there is none. */
    finish(finished: Finished, includeUsage: boolean): void {
      // Who asked for the end gets one; everybody else who cancels has left.
      const last = [frames.finish(finished.reason === 'cancelled' ? 'stop' : finished.reason)];
      if (includeUsage) last.push(frames.usage(usageToWire(finished.usage)));
      if (sse) sse.done(last);
      else if (!caller.signal.aborted) open().done([frames.role(), ...last]);
    },
    /** The bad end of a stream that was opened; null where none was: then none is, whatever waits for the admission. */
    fail(error: unknown): Fault | null {
      early = null;
      if (!sse) return null;
      const failure = streamFault(error);
      sse.fail(failure);
      return failure;
    },
  };
}

/** Streams an answer again that was kept whole. */
export function repeatChatStream(
  kept: string,
  { wanted, reply, caller }: { wanted: { includeUsage: boolean }; reply: FastifyReply; caller: Caller },
): FastifyReply {
  // as: only `chatCompletion` makes what this route keeps.
  const completion = JSON.parse(kept) as ChatCompletion;
  openSse({ reply, caller }).done(framesOfCompletion(completion, wanted.includeUsage));
  return reply;
}

/** Inside a stream only faults of the family "invalid response" may appear: clients re-send after any other. */
function streamFault(error: unknown): Fault {
  if (error instanceof Fault && error.row.type === 'invalid_response_error') return error;
  return fault('generation_failed', { cause: error });
}
