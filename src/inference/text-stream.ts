import type { Finished } from '#engine';
import { type EventStream, openSse } from '#http';
import { Fault, fault } from '#kernel';
import type { AttendedCall } from './attended-call.ts';
import type { NamedDelta } from './collected-answer.ts';
import type { StreamWriter } from './protocol.ts';

type Streamed = {
  writer: StreamWriter;
  /** Known when the first delta comes. */
  known: () => { promptTokens: number | null };
};

/**
 * Sends one streamed answer. The 200 and its headers leave with the first delta, so that every failure before it can be an
 * ordinary error; and not before the call is confirmed.
 */
export function createTextStream(
  { request, reply, caller, confirmed }: Pick<AttendedCall, 'request' | 'reply' | 'caller' | 'confirmed'>,
  { writer, known }: Streamed,
) {
  let sse: EventStream | null = null;
  /** What came before the admission did. */
  let early: NamedDelta[] | null = confirmed && [];
  confirmed?.then(sendEarly, () => {});

  const open = () => {
    sse = openSse({ reply, caller, ...(writer.ping === undefined ? {} : { ping: writer.ping }) });
    return sse;
  };

  function sendEarly(): void {
    const deltas = early ?? [];
    early = null;
    if (deltas.length > 0 && !caller.signal.aborted)
      open().write(writer.begin(known()) + deltas.map(writer.delta).join(''));
  }

  return {
    delta(delta: NamedDelta): void {
      if (sse) sse.write(writer.delta(delta));
      else if (early) early.push(delta);
      else if (!caller.signal.aborted) open().write(writer.begin(known()) + writer.delta(delta));
    },
    /** The good end; for a caller who has left there is none. */
    finish(finished: Finished): void {
      if (sse) sse.end(writer.end(finished));
      else if (!caller.signal.aborted) open().end(writer.begin(known()) + writer.end(finished));
    },
    /** The bad end of a stream that was opened; null where none was: then none is, whatever waits for the admission. */
    fail(error: unknown): Fault | null {
      early = null;
      if (!sse) return null;
      const failure = streamFault(error);
      sse.end(writer.fail(failure, request.id));
      return failure;
    },
  };
}

/** Inside a stream only faults of the family "invalid response" may appear: clients re-send after any other. */
function streamFault(error: unknown): Fault {
  if (error instanceof Fault && error.row.type === 'invalid_response_error') return error;
  return fault('generation_failed', { cause: error });
}
