import { fault } from '#kernel';
import type { Delta, Finished, Usage } from '../port.ts';
import { OutputParser } from '../text/output-parser.ts';
import { WholeCharacters } from '../text/whole-characters.ts';
import { CallPieces, legacyCall } from './call-pieces.ts';
import { choiceOf, contentOf, type TextPart, unreadIn } from './chunk-content.ts';
import type { AnswerFields } from './dialect.ts';
import { countOf, type Fields, fieldsOf, isObject, textOf } from './json-fields.ts';

export type AnswerOptions = {
  /** Whether the request had tools. */
  hasTools: boolean;
  /** false: only the first call counts. */
  parallelToolCalls: boolean;
  /** Ends the content also where the engine leaves it in, as some do with the token that holds it. */
  stop: readonly string[];
  fields: AnswerFields;
};

export const noUsage: Usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };

/** Engines say so where they give up what they have begun. */
const givenUp: ReadonlySet<string> = new Set(['abort', 'error']);
/** Other names of `length`. */
const cutReasons: ReadonlySet<string> = new Set(['length', 'model_length', 'max_tokens', 'MAX_TOKENS']);
/** With these an answer may be empty. */
const plainEnds: ReadonlySet<string> = new Set([
  ...['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'STOP'],
  ...cutReasons,
]);

/**
 * Turns the chunks of a remote engine, or its whole answer, into what our own engine would say: reasoning apart from content,
 * whether the engine parses it (`reasoning_content`, `reasoning`) or leaves `<think>` in the text, and tool calls whole.
 */
export class ChatAnswer {
  readonly #options: AnswerOptions;
  readonly #parser: OutputParser;
  readonly #calls = new CallPieces();
  #emittedCalls = 0;
  /** Index of the choice that is the answer. */
  #choice: unknown = null;
  #hasText = false;
  #unread: string | null = null;
  /** Engines write it for what they cut off inside of a character, which is then left out. */
  readonly #replacement = { content: '', reasoning: '' };
  #reason: string | null = null;
  /** The stop text that the engine says it ended with, and has left out. */
  #stopText: string | null = null;
  #usage: Usage | null = null;
  #hasReasoning = false;
  /** The engine parses reasoning itself; what it found may be empty. */
  #isParsed = false;
  readonly #reasoningCharacters = new WholeCharacters();
  /** Line ends in front of `</think>` belong to nobody: they wait for more reasoning. */
  #lineEnds = '';

  constructor(options: AnswerOptions) {
    this.#options = options;
    const ofCalls = { tools: [], toolSyntax: 'json', parallelToolCalls: true } as const;
    this.#parser = new OutputParser({ reasons: true, startsInReasoning: false, ...ofCalls, stop: options.stop });
  }

  /** The engine has said why it stopped: without it the answer is not whole. */
  get isComplete(): boolean {
    return this.#reason !== null;
  }

  /** What the engine said of tokens, 0 where it said nothing that can be a count. */
  get usage(): Usage {
    return this.#usage ?? noUsage;
  }

  /** Throws where the engine gave up. Calls wait for the end, as engines may send pieces of them in turn. */
  push(chunk: unknown): Delta[] {
    const fields = fieldsOf(chunk);
    if (isObject(fields.usage)) this.#usage = usageOf(fieldsOf(fields.usage));
    const { choice, delta } = choiceOf(fields);
    if (!this.#isAnswer(choice)) return [];
    const { texts, calls } = contentOf(delta, this.#options.fields);
    for (const call of [...callsIn(delta), ...calls]) this.#calls.add(call);
    if (texts.length === 0) this.#unread ??= unreadIn(fields, delta);
    // Some write '' until the end.
    const reason = textOf(choice.finish_reason);
    if (givenUp.has(reason)) throw new Error(`The engine ended its answer with ${JSON.stringify(reason)}.`);
    if (reason !== '') this.#reason = reason;
    this.#stopText ??= this.#stopIn(choice);
    return texts.flatMap((each) => this.#text(each));
  }

  /** The rest, once nothing more comes. Throws where the engine said what cannot be read, and nothing else. */
  end(): Delta[] {
    const reason = this.#reason ?? '';
    if (!this.#hasText && (!this.#options.hasTools || this.#calls.isEmpty)) this.#refuseUnread(reason);
    const rest = cutReasons.has(reason) ? [] : this.#replaced();
    const [calls, broken] = this.#endCalls();
    return [...rest, ...broken, ...this.#parser.end(cutReasons.has(reason) ? 'length' : 'eog'), ...calls];
  }

  #text({ kind, text }: TextPart): Delta[] {
    this.#hasText = true;
    const all = this.#replacement[kind] + text;
    const shown = all.replace(/\uFFFD+$/, '');
    this.#replacement[kind] = all.slice(shown.length);
    return kind === 'content' ? this.#content(shown) : this.#reasoning(shown);
  }

  /** Valid once the answer is complete. */
  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#emittedCalls > 0) return 'tool_calls';
    if (this.#parser.stopped !== null) return 'stop';
    return cutReasons.has(this.#reason ?? '') ? 'length' : 'stop';
  }

  /** Valid once the answer is complete. The text itself tells where it has one, else the engine, if it does. */
  get stopText(): string | null {
    return this.#parser.stopText ?? (this.reason === 'length' ? null : this.#stopText);
  }

  /** A number is a token, and other texts are none that was requested. */
  #stopIn(choice: Fields): string | null {
    const { stop, fields } = this.#options;
    return stop.find((text) => fields.stopText.some((key) => choice[key] === text)) ?? null;
  }

  #reasoning(text: string): Delta[] {
    this.#isParsed = true;
    const whole = this.#reasoningCharacters.push(text);
    const all = this.#lineEnds + (this.#hasReasoning ? whole : whole.replace(/^[\r\n]+/, ''));
    const shown = all.replace(/[\r\n]+$/, '');
    this.#lineEnds = shown === '' && !this.#hasReasoning ? '' : all.slice(shown.length);
    if (shown === '') return [];
    this.#hasReasoning = true;
    return [{ type: 'reasoning', text: shown }];
  }

  #content(text: string): Delta[] {
    // An engine that parses reasoning itself may begin the answer with the newlines behind it.
    const first = this.#isParsed && this.#parser.undecided ? text.replace(/^[\r\n]+/, '') : text;
    return this.#parser.push(first, 0);
  }

  /** Text that the model itself has ended with replacement characters. */
  #replaced(): Delta[] {
    const { reasoning, content } = this.#replacement;
    return [...(reasoning === '' ? [] : this.#reasoning(reasoning)), ...(content === '' ? [] : this.#content(content))];
  }

  #isAnswer({ index }: Fields): boolean {
    if (index === undefined || index === null) return true;
    this.#choice ??= index;
    return index === this.#choice;
  }

  /** An empty answer may be one, but none that only we cannot read. */
  #refuseUnread(reason: string): void {
    const unread = this.#unread ?? (plainEnds.has(reason) ? null : `nothing, and ends with ${JSON.stringify(reason)}`);
    if (unread === null && this.#calls.isEmpty) return;
    throw fault('generation_failed', {
      message: 'The engine of this model answered in a form that cannot be read.',
      internal: `It said ${unread ?? 'a call, although the request had no tools'}.`,
    });
  }

  /** Whole calls, and what is no call: the text that our own engine would have got. Cut off behind whole calls, it is left out. */
  #endCalls(): [calls: Delta[], broken: Delta[]] {
    const { hasTools, parallelToolCalls } = this.#options;
    const calls: Delta[] = [];
    const broken: Delta[] = [];
    for (const { name, arguments: text, text: written } of hasTools ? this.#calls.all() : []) {
      if (calls.length > 0 && !parallelToolCalls) break;
      if (name !== '' && text !== null) {
        calls.push({ type: 'tool_call', index: calls.length, name, arguments: text });
      } else if (calls.length === 0 || !cutReasons.has(this.#reason ?? '')) {
        broken.push(...this.#content(`<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${written}`));
      }
    }
    this.#emittedCalls = calls.length;
    return [calls, broken];
  }
}

function callsIn({ tool_calls: calls, function_call: legacy }: Fields): Fields[] {
  if (Array.isArray(calls) && calls.length > 0) return calls.map(fieldsOf);
  if (isObject(calls) && !Array.isArray(calls)) return [fieldsOf(calls)];
  return isObject(legacy) ? [legacyCall(legacy)] : [];
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
