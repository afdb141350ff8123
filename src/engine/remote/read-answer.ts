import { fault } from '#kernel';
import type { Delta } from '../port.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { readEvents } from './read-events.ts';
import type { Answer } from './upstream.ts';

/** Reads a streamed answer to its end, or until the caller leaves. Throws `generation_failed` where it is not whole. */
export async function readAnswer(
  { body }: Answer,
  text: ChatAnswer,
  { signal, onDelta }: { signal: AbortSignal; onDelta: (delta: Delta) => void },
): Promise<void> {
  try {
    for await (const event of readEvents(body)) {
      if (event === '[DONE]') break;
      const chunk: unknown = JSON.parse(event);
      if (typeof chunk === 'object' && chunk !== null && 'error' in chunk)
        throw new Error(`It sent ${event.slice(0, 300)}`);
      for (const delta of text.push(chunk)) onDelta(delta);
    }
    if (text.isComplete) return;
    throw new Error('The stream ended before the answer did.');
  } catch (error) {
    if (signal.aborted) return;
    const internal = error instanceof Error ? error.message : String(error);
    throw fault('generation_failed', { internal, cause: error });
  }
}

/** Throws `generation_failed` for what is no JSON, and the signal's reason. */
export async function readJson({ body }: Answer, signal: AbortSignal): Promise<unknown> {
  try {
    return await body.json();
  } catch (error) {
    signal.throwIfAborted();
    throw fault('generation_failed', { internal: 'The answer is not JSON or was cut.', cause: error });
  }
}
