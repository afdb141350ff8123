import { StringDecoder } from 'node:string_decoder';
import { Fault, fault, parseExactJson } from '#kernel';
import type { Delta } from '../port.ts';
import { jsonOf } from './answer-body.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { fieldsOf, type Said } from './chunk-fields.ts';
import { ChunkForms } from './chunk-form.ts';
import { EventTexts } from './event-texts.ts';
import type { Answer } from './http/transport.ts';

const beginsJson = /^\uFEFF?\s*\{/;

type Reading = { signal: AbortSignal; onDelta: (delta: Delta) => void };

/**
 * Reads a streamed answer to its end, or until the caller leaves. Text that came in one piece is one delta, as the tokens of one
 * step of our own engine are. Throws `generation_failed` where the answer is not whole.
 */
export function readStream({ body }: Answer, text: ChatAnswer, { signal, onDelta }: Reading): Promise<void> {
  return reading(signal, async () => {
    const decode = decoderOf();
    const forms = new ChunkForms();
    let isDone = false;
    let together: Said | null = null;
    const say = () => {
      const said = together;
      together = null;
      if (said !== null) for (const delta of text.say(said)) onDelta(delta);
    };
    const events = new EventTexts((all, from, to) => {
      if (isDone) return;
      const said = forms.textIn(all, from, to);
      if (said !== null && together?.kind === forms.kind) {
        together.text += said;
        return;
      }
      say();
      if (said !== null) {
        together = { kind: forms.kind, text: said };
        return;
      }
      const data = all.slice(from, to).trim();
      if (data === '[DONE]') isDone = true;
      // Some keep a connection busy with events of nothing.
      else if (data !== '') {
        const chunk = chunkOf(data);
        pass(chunk, text, onDelta);
        forms.learn(data, chunk);
      }
    });
    let whole: string | null = null;
    let isBeginning = true;
    await body.read((piece) => {
      if (signal.aborted) return false;
      try {
        const come = decode(piece);
        // Some engines answer in one piece what they cannot stream, errors too. No event begins so.
        if (isBeginning && beginsJson.test(come)) whole = '';
        isBeginning &&= come.trim() === '';
        if (whole === null) events.feed(come);
        else whole += come;
      } finally {
        // Also what came before a chunk that cannot be read.
        say();
      }
      return !isDone;
    });
    if (whole !== null) pass(chunkOf(whole), text, onDelta);
    if (!text.isComplete) throw new Error('The stream ended before the answer did.');
    for (const delta of text.end()) onDelta(delta);
  });
}

/** The same for an answer that was asked for in one piece. */
export async function readWhole({ body }: Answer, text: ChatAnswer, { signal, onDelta }: Reading): Promise<void> {
  try {
    pass(chunkOf(await body.text()), text, onDelta);
    if (!text.isComplete) throw new Error('The answer does not say why it ended.');
    for (const delta of text.end()) onDelta(delta);
  } catch (error) {
    failUnlessLeft(error, signal);
  }
}

/** Makes text of bytes that may be cut inside a character, which nearly none are: they end with a line. */
function decoderOf(): (bytes: Buffer) => string {
  let decoder: StringDecoder | null = null;
  return (bytes) => {
    if (decoder === null && (bytes.at(-1) ?? 0) < 0x80) return bytes.toString('utf8');
    decoder ??= new StringDecoder('utf8');
    return decoder.write(bytes);
  };
}

/** Arguments of a call that are no text keep their digits and the order of their keys. */
const hasObject = /"(?:arguments|parameters|input)"\s*:\s*\{/;

function chunkOf(text: string): unknown {
  return hasObject.test(text) ? parseExactJson(text.replace(/^\uFEFF/, '')) : jsonOf(text);
}

function pass(chunk: unknown, text: ChatAnswer, onDelta: Reading['onDelta']): void {
  const { error } = fieldsOf(chunk);
  // Some write that there is none.
  if (error !== undefined && error !== null) throw new Error(`It sent ${JSON.stringify(chunk).slice(0, 300)}`);
  for (const delta of text.push(chunk)) onDelta(delta);
}

async function reading(signal: AbortSignal, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    failUnlessLeft(error, signal);
  }
}

/** Whoever has left needs no more, and hears of no trouble. */
function failUnlessLeft(error: unknown, { aborted }: AbortSignal): void {
  if (aborted) return;
  if (error instanceof Fault) throw error;
  const internal = error instanceof Error ? error.message : String(error);
  throw fault('generation_failed', { internal, cause: error });
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
