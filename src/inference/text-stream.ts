import type { Finished } from '#engine';
import { type EventStream, openSse } from '#http';
import { Fault, fault } from '#kernel';
import type { NamedDelta } from './collected-answer.ts';
import type { ModelCall } from './model-call.ts';
import type { StreamWriter } from './protocol.ts';

type Streamed = {
  writer: StreamWriter;
  /** Known when the first delta comes. */
  known: () => { promptTokens: number | null };
};

/**
 * Sends one streamed answer. The 200 and its headers leave with the first delta, so that every failure before it can be an
 * ordinary error.
 */
export function createTextStream(
  { request, reply, caller }: Pick<ModelCall, 'request' | 'reply' | 'caller'>,
  { writer, known }: Streamed,
) {
  let sse: EventStream | null = null;

  const open = () => {
    sse = openSse({ reply, caller, ...(writer.ping === undefined ? {} : { ping: writer.ping }) });
    return sse;
  };

  return {
    delta(delta: NamedDelta): void {
      if (sse) sse.write(writer.delta(delta));
      else if (!caller.signal.aborted) open().write(writer.begin(known()) + writer.delta(delta));
    },
    /** The good end; for a caller who has left there is none. */
    finish(finished: Finished): void {
      if (sse) sse.end(writer.end(finished));
      else if (!caller.signal.aborted) open().end(writer.begin(known()) + writer.end(finished));
    },
    /** Ends an opened stream with an error; null where none was opened. */
    fail(error: unknown): Fault | null {
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
