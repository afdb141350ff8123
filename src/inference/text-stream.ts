import type { Finished } from '#engine';
import { type EventStream, openSse } from '#http';
import { Fault, fault } from '#kernel';
import type { NamedDelta } from './collected-answer.ts';
import type { ModelCall } from './model-call.ts';
import type { StreamWriter } from './protocol.ts';

export type TextStream = ReturnType<typeof createTextStream>;

/**
 * Sends one streamed answer. The 200 and its headers leave with the first delta, so that every failure before it can be an
 * ordinary error.
 */
export function createTextStream(
  call: Pick<ModelCall, 'request' | 'reply' | 'caller' | 'firstToken'>,
  writer: StreamWriter,
) {
  const { request, reply, caller } = call;
  let sse: EventStream | null = null;
  let promptTokens: number | null = null;

  const send = (how: 'write' | 'end', render: () => string) => {
    if (sse) {
      sse[how](render());
      return;
    }
    // Also for a caller who has left: an answer may go on without one.
    call.firstToken();
    if (!caller.signal.aborted) {
      sse = openSse({ reply, caller, ...(writer.ping === undefined ? {} : { ping: writer.ping }) });
      sse[how](writer.begin({ promptTokens }) + render());
    }
  };

  return {
    /** `tokens`: null where nobody has counted. */
    prepared(tokens: number | null): void {
      promptTokens = tokens;
    },
    delta: (delta: NamedDelta): void => send('write', () => writer.delta(delta)),
    /** The good end; for a caller who has left there is none. */
    finish: (finished: Finished): void => send('end', () => writer.end(finished)),
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
