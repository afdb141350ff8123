import type { Delta, TokenLogprob } from '#engine';
import { randomPage } from '#kernel';

/** A delta whose tool call has its id: then everyone who renders it uses the same. */
export type NamedDelta =
  | Exclude<Delta, { type: 'tool_call' }>
  | (Extract<Delta, { type: 'tool_call' }> & { callId: string });

/** A piece of an answer, in the order in which the model wrote it. Pieces of one type that followed each other are one. */
export type AnswerPart =
  | { type: 'reasoning'; text: string }
  | { type: 'content'; text: string; logprobs?: TokenLogprob[] }
  | { type: 'tool_call'; callId: string; name: string; arguments: string };

/** Gathers the deltas of one answer; however they are split, the parts are the same. */
export class CollectedAnswer {
  readonly #parts: AnswerPart[] = [];
  /** Behind the first of several answers. */
  readonly #others: CollectedAnswer[] = [];

  get parts(): readonly AnswerPart[] {
    return this.#parts;
  }

  /** One of several answers; the first is this one itself. */
  choice(index: number): CollectedAnswer {
    if (index === 0) return this;
    this.#others[index - 1] ??= new CollectedAnswer();
    return this.#others[index - 1] ?? this;
  }

  add({ choice = 0, ...delta }: NamedDelta): void {
    this.choice(choice).#add(delta);
  }

  #add(delta: NamedDelta): void {
    const last = this.#parts.at(-1);
    if (delta.type === 'tool_call') {
      const { callId, name, arguments: args } = delta;
      this.#parts.push({ type: 'tool_call', callId, name, arguments: args });
    } else if (last?.type === delta.type) {
      last.text += delta.text;
      if (last.type === 'content' && delta.type === 'content') last.logprobs?.push(...(delta.logprobs ?? []));
    } else if (delta.text !== '') {
      this.#parts.push(
        delta.type === 'content' && delta.logprobs ? { ...delta, logprobs: [...delta.logprobs] } : { ...delta },
      );
    }
  }

  /** Of all tokens of its content; null where nobody asked for them, or there is none. */
  get logprobs(): TokenLogprob[] | null {
    const all = this.#parts.flatMap((part) => (part.type === 'content' && part.logprobs ? [part.logprobs] : []));
    return all.length === 0 ? null : all.flat();
  }

  /** All text of a type, of one piece. */
  textOf(type: 'reasoning' | 'content'): string {
    return this.#parts.reduce((text, part) => (part.type === type ? text + part.text : text), '');
  }
}

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/** An answer as a message of a conversation (interface 2.2): text, reasoning and calls of tools, each in one piece. */
export function assistantMessage(answer: CollectedAnswer) {
  const content = answer.textOf('content');
  const reasoning = answer.textOf('reasoning');
  const toolCalls = answer.parts.flatMap((part): WireCall[] => {
    if (part.type !== 'tool_call') return [];
    return [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }];
  });
  return {
    role: 'assistant',
    content: toolCalls.length > 0 && content === '' ? null : content,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

export type AssistantMessage = ReturnType<typeof assistantMessage>;

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Makes a random id such as `chatcmpl-` or `call_` with 24 alphanumerics behind it. */
export function wireId(prefix: string): string {
  let id = prefix;
  // Bytes above 248 = 4 x 62 are left out: they would make the first letters more likely.
  while (id.length < prefix.length + 24) {
    for (const byte of randomPage(32)) if (byte < 248 && id.length < prefix.length + 24) id += alphanumerics[byte % 62];
  }
  return id;
}
