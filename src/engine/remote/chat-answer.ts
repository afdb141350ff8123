import type { Delta, Finished, Usage } from '../port.ts';
import { OutputParser } from '../text/output-parser.ts';
import { choiceOf, countOf, type Fields, fieldsOf, isObject, reasoningIn, type Said, textOf } from './chunk-fields.ts';

export type AnswerOptions = {
  /** Whether the request had tools. */
  hasTools: boolean;
  /** false: only the first call counts. */
  parallelToolCalls: boolean;
  /** Ends the content also where the engine leaves it in, as some do with the token that holds it. */
  stop: readonly string[];
};

type OpenCall = { index: number | null; id: string; name: string; arguments: string };

/** Engines say so where they give up what they have begun. */
const givenUp: ReadonlySet<string> = new Set(['abort', 'error']);

/**
 * Turns the chunks of a remote engine, or its whole answer, into what our own engine would say: reasoning apart from content,
 * whether the engine parses it (`reasoning_content`, `reasoning`) or leaves `<think>` in the text, and tool calls whole.
 */
export class ChatAnswer {
  readonly #options: AnswerOptions;
  readonly #text: OutputParser;
  #openCall: OpenCall | null = null;
  #emittedCalls = 0;
  #reason: string | null = null;
  #usage: Usage | null = null;
  #hasReasoning = false;
  /** The engine parses reasoning itself; what it found may be empty. */
  #isParsed = false;
  /** Line ends in front of `</think>` belong to nobody: they wait for more reasoning. */
  #lineEnds = '';

  constructor(options: AnswerOptions) {
    this.#options = options;
    const ofCalls = { tools: [], toolSyntax: 'json', parallelToolCalls: true } as const;
    this.#text = new OutputParser({ startsInReasoning: false, ...ofCalls, stop: options.stop });
  }

  /** The engine has said why it stopped: without it the answer is not whole. */
  get isComplete(): boolean {
    return this.#reason !== null;
  }

  /** What the engine said of tokens, 0 where it said nothing that can be a count. */
  get usage(): Usage {
    return this.#usage ?? { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
  }

  /** Throws where the engine gave up. */
  push(chunk: unknown): Delta[] {
    const fields = fieldsOf(chunk);
    if (isObject(fields.usage)) this.#usage = usageOf(fieldsOf(fields.usage));
    const { choice, delta } = choiceOf(fields);
    const deltas: Delta[] = [];
    const reasoning = reasoningIn(delta);
    if (reasoning !== '') deltas.push(...this.#reasoning(reasoning));
    const content = textOf(delta.content);
    if (content !== '') deltas.push(...this.#content(content));
    if (Array.isArray(delta.tool_calls))
      for (const call of delta.tool_calls) deltas.push(...this.#call(fieldsOf(call)));
    // Some write '' until the end.
    const reason = textOf(choice.finish_reason);
    if (givenUp.has(reason)) throw new Error(`The engine ended its answer with ${JSON.stringify(reason)}.`);
    if (reason !== '') {
      this.#reason = reason;
      const ended = this.#endCall();
      const rest = this.#text.end(reason === 'length' ? 'length' : 'eog');
      deltas.push(...(ended[0]?.type === 'tool_call' ? [...rest, ...ended] : [...ended, ...rest]));
    }
    return deltas;
  }

  /** What a chunk says that says nothing else, or several of one kind, one after the other. */
  say({ kind, text }: Said): Delta[] {
    if (text === '') return [];
    return kind === 'content' ? this.#content(text) : this.#reasoning(text);
  }

  /** Valid once the answer is complete. */
  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#emittedCalls > 0) return 'tool_calls';
    if (this.#text.stopped !== null) return 'stop';
    return this.#reason === 'length' ? 'length' : 'stop';
  }

  #reasoning(text: string): Delta[] {
    this.#isParsed = true;
    const all = this.#lineEnds + (this.#hasReasoning ? text : text.replace(/^[\r\n]+/, ''));
    const shown = all.replace(/[\r\n]+$/, '');
    this.#lineEnds = shown === '' && !this.#hasReasoning ? '' : all.slice(shown.length);
    if (shown === '') return [];
    this.#hasReasoning = true;
    return [{ type: 'reasoning', text: shown }];
  }

  #content(text: string): Delta[] {
    // An engine that parses reasoning itself may begin the answer with the newlines behind it.
    const first = this.#isParsed && this.#text.undecided ? text.replace(/^[\r\n]+/, '') : text;
    return this.#text.push(first, 0);
  }

  /** Pieces of a call; the one before is whole when the next begins. */
  #call(fields: Fields): Delta[] {
    const part = fieldsOf(fields.function);
    const piece: OpenCall = {
      index: typeof fields.index === 'number' ? fields.index : null,
      id: textOf(fields.id),
      name: textOf(part.name),
      arguments: argumentsIn(part),
    };
    const open = this.#openCall;
    if (open === null || isAnother(piece, open)) {
      const before = this.#endCall();
      this.#openCall = piece;
      return before;
    }
    open.id ||= piece.id;
    // Some repeat it with every piece.
    if (piece.name !== open.name) open.name += piece.name;
    open.arguments += piece.arguments;
    return [];
  }

  /** What is no call is told as the text that our own engine would have got; cut off behind whole calls, it is left out. */
  #endCall(): Delta[] {
    const call = this.#openCall;
    this.#openCall = null;
    if (call === null || !this.#options.hasTools) return [];
    if (!this.#options.parallelToolCalls && this.#emittedCalls > 0) return [];
    const { name, arguments: text } = call;
    if (name === '' || !isObjectText(text)) {
      if (this.#reason === 'length' && this.#emittedCalls > 0) return [];
      return this.#content(`<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}`);
    }
    const index = this.#emittedCalls;
    this.#emittedCalls += 1;
    return [{ type: 'tool_call', index, name, arguments: text === '' ? '{}' : text }];
  }
}

/** Not every engine counts its calls: some give all of them the same place, or none. Then a call begins with its name. */
function isAnother(piece: OpenCall, open: OpenCall): boolean {
  if (piece.index !== null && open.index !== null && piece.index !== open.index) return true;
  if (piece.name === '') return false;
  return piece.index === null ? piece.id === '' || piece.id !== open.id : piece.id !== '' && piece.id !== open.id;
}

/** JSON; also where an engine writes it as an object. */
function argumentsIn({ arguments: text }: Fields): string {
  return isObject(text) ? JSON.stringify(text) : textOf(text);
}

function usageOf(usage: Fields): Usage {
  const details = fieldsOf(usage.completion_tokens_details);
  const promptDetails = fieldsOf(usage.prompt_tokens_details);
  return {
    promptTokens: countOf(usage.prompt_tokens) ?? 0,
    completionTokens: countOf(usage.completion_tokens) ?? 0,
    reasoningTokens: countOf(details.reasoning_tokens ?? usage.reasoning_tokens) ?? 0,
    cachedTokens: countOf(promptDetails.cached_tokens ?? usage.cached_tokens) ?? 0,
  };
}

/** A call that was cut has no valid arguments; one without parameters may have none at all. */
function isObjectText(text: string): boolean {
  if (text === '') return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
