import type { Delta } from '#engine';

/** A delta whose tool call has its id: then everyone who renders it uses the same. */
export type NamedDelta =
  | Exclude<Delta, { type: 'tool_call' }>
  | (Extract<Delta, { type: 'tool_call' }> & { callId: string });

/** A piece of an answer, in the order in which the model wrote it. Pieces of one type that followed each other are one. */
export type AnswerPart =
  | { type: 'reasoning'; text: string }
  | { type: 'content'; text: string }
  | { type: 'tool_call'; callId: string; name: string; arguments: string };

/** Gathers the deltas of one answer; however they are split, the parts are the same. */
export class CollectedAnswer {
  readonly #parts: AnswerPart[] = [];

  get parts(): readonly AnswerPart[] {
    return this.#parts;
  }

  add(delta: NamedDelta): void {
    const last = this.#parts.at(-1);
    if (delta.type === 'tool_call') {
      const { callId, name, arguments: args } = delta;
      this.#parts.push({ type: 'tool_call', callId, name, arguments: args });
    } else if (last?.type === delta.type) last.text += delta.text;
    else if (delta.text !== '') this.#parts.push({ ...delta });
  }

  /** All text of a type, of one piece. */
  textOf(type: 'reasoning' | 'content'): string {
    return this.#parts.reduce((text, part) => (part.type === type ? text + part.text : text), '');
  }
}
