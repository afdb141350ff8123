import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';
import { Fault, fault, parseExactJson } from '#kernel';
import type { Delta } from '../port.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { discard, readText } from './connection-pool.ts';
import { fieldsOf } from './json-fields.ts';

type ReadOptions = { signal: AbortSignal; onDelta: (delta: Delta) => void };

/**
 * Reads a streamed answer to its end, or until the caller leaves. Text that arrives in one piece is one delta, as the tokens of one
 * step of our own engine are. Throws `generation_failed` where the answer is not whole.
 */
export async function readStream(body: Readable, answer: ChatAnswer, { signal, onDelta }: ReadOptions): Promise<void> {
  const decoder = new TextDecoder();
  let deltas: Delta[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      const text = data.trim();
      if (text === '[DONE]') isDone = true;
      // Some engines send empty events to keep a connection busy.
      else if (text !== '' && !isDone) deltas.push(...deltasIn(text, answer));
    },
  });
  /** Some engines answer with one JSON object what they cannot stream, errors too. */
  let json: string | null = null;
  let isBeginning = true;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const text = decoder.decode(piece, { stream: true });
      if (isBeginning && /^\s*\{/.test(text)) json = '';
      isBeginning &&= text.trim() === '';
      try {
        if (json === null) parser.feed(text);
        else json += text;
      } finally {
        for (const delta of joined(deltas)) onDelta(delta);
        deltas = [];
      }
      if (isDone) break;
    }
    if (json !== null) for (const delta of deltasIn(json.trim(), answer)) onDelta(delta);
    if (!answer.isComplete) throw new Error('The stream ended before the answer did.');
    for (const delta of answer.end()) onDelta(delta);
  } catch (error) {
    throwUnlessAborted(error, signal);
  } finally {
    discard(body);
  }
}

/** The same for an answer that was requested in one piece. */
export async function readWhole(body: Readable, answer: ChatAnswer, { signal, onDelta }: ReadOptions): Promise<void> {
  try {
    for (const delta of deltasIn(await readText(body), answer)) onDelta(delta);
    if (!answer.isComplete) throw new Error('The answer does not say why it ended.');
    for (const delta of answer.end()) onDelta(delta);
  } catch (error) {
    throwUnlessAborted(error, signal);
  }
}

/** Throws `generation_failed` for what is no JSON, and the signal's reason. */
export async function readJson(body: Readable, signal: AbortSignal): Promise<unknown> {
  try {
    return JSON.parse(await readText(body));
  } catch (error) {
    signal.throwIfAborted();
    throw fault('generation_failed', { internal: 'The answer is not JSON or was cut.', cause: error });
  }
}

/** Arguments of a call that are an object keep their digits and the order of their keys. */
const hasObject = /"(?:arguments|parameters|input)"\s*:\s*\{/;

function deltasIn(text: string, answer: ChatAnswer): Delta[] {
  const chunk: unknown = hasObject.test(text) ? parseExactJson(text) : JSON.parse(text);
  const { error } = fieldsOf(chunk);
  // Some engines write `"error": null`.
  if (error !== undefined && error !== null) throw new Error(`It sent ${JSON.stringify(chunk).slice(0, 300)}`);
  return answer.push(chunk);
}

/** Neighbours of one kind as one. */
function joined(deltas: readonly Delta[]): Delta[] {
  const all: Delta[] = [];
  for (const delta of deltas) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in delta && last.type === delta.type) last.text += delta.text;
    else all.push({ ...delta });
  }
  return all;
}

/** A caller that has left gets no error. */
function throwUnlessAborted(error: unknown, { aborted }: AbortSignal): void {
  if (aborted) return;
  if (error instanceof Fault) throw error;
  const internal = error instanceof Error ? error.message : String(error);
  throw fault('generation_failed', { internal, cause: error });
}
