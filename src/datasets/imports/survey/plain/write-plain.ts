import type { PlainMessage } from './plain-rows.ts';

const beginning = Buffer.from('{"messages":[');
const beforeText = Buffer.from('{"content":"');
const end = Buffer.from('],"tools":null}');
const [comma] = [0x2c];
const behindText = {
  system: Buffer.from('","role":"system"}'),
  user: Buffer.from('","role":"user"}'),
  assistant: Buffer.from('","role":"assistant"}'),
};
/** What is written around one text is no longer than that. */
const mostAroundText = 64;

/** No fewer than the canonical JSON of such a conversation takes. */
export function mostBytesOf(messages: readonly PlainMessage[]): number {
  return messages.reduce((sum, { content }) => sum + content.end - content.at + mostAroundText, mostAroundText);
}

/** Writes the canonical JSON of a conversation whose texts stand in the source; returns where it ends. */
export function writePlain(messages: readonly PlainMessage[], source: Buffer, into: Buffer, from: number): number {
  let at = write(beginning, into, from);
  for (const [index, { role, content }] of messages.entries()) {
    if (index > 0) into[at++] = comma;
    at = write(beforeText, into, at);
    at += source.copy(into, at, content.at, content.end);
    at = write(behindText[role], into, at);
  }
  return write(end, into, at);
}

/** A few bytes: calling the native copy takes longer. */
function write(bytes: Uint8Array, into: Buffer, from: number): number {
  for (let index = 0; index < bytes.length; index++) into[from + index] = bytes[index] ?? 0;
  return from + bytes.length;
}
