import { fault } from '#kernel';
import type { Delta, Finished, Usage } from '../port.ts';
import { ContentLogprobs } from '../text/content-logprobs.ts';
import { bindOutputFormat, standardFormat } from '../text/formats/output-format.ts';
import { OutputParser } from '../text/output-parser.ts';
import { CallPieces, legacyCall } from './call-pieces.ts';
import type { AnswerFields } from './dialect.ts';
import { logprobsIn } from './logprobs-in.ts';
import { countOf, fieldsOf, isObject, type JsonFields, textOf } from './wire.ts';

export type AnswerOptions = {
  hasTools: boolean;
  /** false: only the first call counts. */
  parallelToolCalls: boolean;
  /** Ends the content also where the engine leaves it in, as some do with the token that holds it. */
  stop: readonly string[];
  fields: AnswerFields;
  /** Content comes with log probabilities. */
  logprobs?: boolean;
};

type TextKind = 'content' | 'reasoning';
type ChunkContent = { texts: { kind: TextKind; text: string }[]; calls: JsonFields[] };

export const noUsage: Usage = { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };

/** Engines say so where they give up what they have begun. */
const givenUp: ReadonlySet<string> = new Set(['abort', 'error']);
const cutReasons: ReadonlySet<string> = new Set(['length', 'model_length', 'max_tokens', 'MAX_TOKENS']);
/** With these an answer may be empty. */
const plainEnds: ReadonlySet<string> = new Set([
  ...['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'STOP'],
  ...cutReasons,
]);
const contentKeys = ['content', 'text', 'output_text', 'refusal'] as const;
/** Fields that may hold the text of a list part; the first one that is present is read. */
const partKeys = ['text', 'thinking', 'reasoning', 'content', 'output_text', 'refusal', 'value', 'summary'] as const;
/** Says nothing of the answer itself. */
const plainKeys: ReadonlySet<string> = new Set([
  ...['role', 'name', 'id', 'type', 'index', 'object', 'phase', 'status', 'format', 'logprobs', 'token_ids'],
  ...['finish_reason', 'native_finish_reason', 'stop_reason', 'matched_stop', 'reasoning_signature'],
]);
/** Where other interfaces have their answers. */
const answerKeys = ['message', 'response', 'output', 'output_text', 'text', 'content', 'generated_text', 'candidates'];

const outputFormat = bindOutputFormat(standardFormat);

/**
 * Turns the chunks of a remote engine, or its whole answer, into what our own engine would say: reasoning apart from content,
 * whether the engine parses it (`reasoning_content`, `reasoning`) or leaves `<think>` in the text, and tool calls whole.
 */
export class ChatAnswer {
  readonly #options: AnswerOptions;
  readonly #parser: OutputParser;
  readonly #logprobs: ContentLogprobs | null;
  #calls: CallPieces | null = null;
  #emittedCalls = 0;
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
  /** Line ends in front of `</think>` belong to nobody: they wait for more reasoning. */
  #lineEnds = '';

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#logprobs = options.logprobs === true ? new ContentLogprobs() : null;
    this.#parser = new OutputParser({
      startsInReasoning: false,
      tools: [],
      format: outputFormat,
      parallelToolCalls: true,
      stop: options.stop,
    });
  }

  get isComplete(): boolean {
    return this.#reason !== null;
  }

  /** What the engine said of tokens, 0 where it said nothing that can be a count. */
  get usage(): Usage {
    return this.#usage ?? noUsage;
  }

  get reason(): Exclude<Finished['reason'], 'cancelled'> {
    if (this.#emittedCalls > 0) return 'tool_calls';
    return this.#parser.stopped === null && this.#isCut ? 'length' : 'stop';
  }

  /** Valid once the answer is complete. The text itself tells where it has one, else the engine, if it does. */
  get stopText(): string | null {
    return this.#parser.stopText ?? (this.reason === 'length' ? null : this.#stopText);
  }

  get #isCut(): boolean {
    return cutReasons.has(this.#reason ?? '');
  }

  /** Throws where the engine gave up. Calls wait for the end, as engines may send pieces of them in turn. */
  push(chunk: unknown): Delta[] {
    const fields = fieldsOf(chunk);
    if (isObject(fields.usage)) this.#usage = usageOf(fieldsOf(fields.usage));
    const { choice, delta } = choiceOf(fields);
    if (!this.#isAnswer(choice)) return [];
    const { texts, calls } = contentOf(delta, this.#options.fields);
    for (const call of [...callsIn(delta), ...calls]) {
      this.#calls ??= new CallPieces();
      this.#calls.add(call);
    }
    if (texts.length === 0) this.#unread ??= unreadIn(fields, delta);
    // Some write '' until the end.
    const reason = textOf(choice.finish_reason);
    if (givenUp.has(reason)) throw new Error(`The engine ended its answer with ${JSON.stringify(reason)}.`);
    if (reason !== '') this.#reason = reason;
    this.#stopText ??= this.#stopIn(choice);
    const deltas = texts.flatMap(({ kind, text }) => this.#text(kind, text));
    if (this.#logprobs === null) return deltas;
    const isContent = texts.some(({ kind }) => kind === 'content');
    return this.#logprobs.push(isContent ? logprobsIn(choice) : [], deltas, this.#parser.phase);
  }

  /** The rest, once nothing more comes. Throws where the engine said what cannot be read, and nothing else. */
  end(): Delta[] {
    const hasCalls = this.#calls?.isEmpty === false;
    if (!this.#hasText && (!this.#options.hasTools || !hasCalls)) this.#refuseUnread(hasCalls);
    const { reasoning, content } = this.#replacement;
    // Text that the model itself has ended with replacement characters.
    const rest = this.#isCut ? [] : [...this.#reasoning(reasoning), ...this.#content(content)];
    const [calls, broken] = this.#endCalls();
    const deltas = [...rest, ...broken, ...this.#parser.end(this.#isCut ? 'length' : 'eog'), ...calls];
    return this.#logprobs?.push([], deltas, this.#parser.phase) ?? deltas;
  }

  #text(kind: TextKind, text: string): Delta[] {
    this.#hasText = true;
    const all = this.#replacement[kind] + text;
    const shown = all.replace(/\uFFFD+$/, '');
    this.#replacement[kind] = all.slice(shown.length);
    if (kind === 'content') return this.#content(shown);
    this.#isParsed = true;
    return this.#reasoning(shown);
  }

  /** A number is a token, and other texts are none that was requested. */
  #stopIn(choice: JsonFields): string | null {
    const { stop, fields } = this.#options;
    return stop.find((text) => fields.stopText.some((key) => choice[key] === text)) ?? null;
  }

  #reasoning(text: string): Delta[] {
    const all = this.#lineEnds + (this.#hasReasoning ? text : text.replace(/^[\r\n]+/, ''));
    const shown = all.replace(/[\r\n]+$/, '');
    this.#lineEnds = shown === '' && !this.#hasReasoning ? '' : all.slice(shown.length);
    if (shown !== '') this.#hasReasoning = true;
    return this.#parser.pushReasoning(shown);
  }

  #content(text: string): Delta[] {
    // An engine that parses reasoning itself may begin the answer with the newlines behind it.
    const first = this.#isParsed && this.#parser.phase === 'start' ? text.replace(/^[\r\n]+/, '') : text;
    return this.#parser.push(first, 0);
  }

  #isAnswer({ index }: JsonFields): boolean {
    if (index === undefined || index === null) return true;
    this.#choice ??= index;
    return index === this.#choice;
  }

  /** An empty answer may be one, but none that only we cannot read. */
  #refuseUnread(hasCalls: boolean): void {
    const reason = this.#reason ?? '';
    const unread = this.#unread ?? (plainEnds.has(reason) ? null : `nothing, and ends with ${JSON.stringify(reason)}`);
    if (unread === null && !hasCalls) return;
    throw fault('generation_failed', {
      message: 'The engine of this model answered in a form that cannot be read.',
      internal: `It wrote ${unread ?? 'a call, although the request had no tools'}.`,
    });
  }

  /** Whole calls, and what is no call: the text that our own engine would have got. Cut off behind whole calls, it is left out. */
  #endCalls(): [calls: Delta[], broken: Delta[]] {
    const { hasTools, parallelToolCalls } = this.#options;
    const calls: Delta[] = [];
    const broken: Delta[] = [];
    for (const { name, arguments: text, text: written } of hasTools ? (this.#calls?.all() ?? []) : []) {
      if (calls.length > 0 && !parallelToolCalls) break;
      if (name !== '' && text !== null) {
        calls.push({ type: 'tool_call', index: calls.length, name, arguments: text });
      } else if (calls.length === 0 || !this.#isCut) {
        broken.push(...this.#content(`<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${written}`));
      }
    }
    this.#emittedCalls = calls.length;
    return [calls, broken];
  }
}

/**
 * The choice that is the answer, and what is new in it: the first one, or the only one whatever its index. Those who answer in
 * other forms write the text beside the reason.
 */
function choiceOf({ choices }: JsonFields): { choice: JsonFields; delta: JsonFields } {
  const all: unknown[] = Array.isArray(choices) ? choices : [];
  const choice = fieldsOf(all.find((each) => fieldsOf(each).index === 0) ?? all[0]);
  const given = isObject(choice.delta) ? choice.delta : choice.message;
  return { choice, delta: fieldsOf(isObject(given) ? given : choice) };
}

function callsIn({ tool_calls: calls, function_call: legacy }: JsonFields): JsonFields[] {
  if (Array.isArray(calls) && calls.length > 0) return calls.map(fieldsOf);
  if (isObject(calls) && !Array.isArray(calls)) return [fieldsOf(calls)];
  return isObject(legacy) ? [legacyCall(legacy)] : [];
}

/** Texts and calls of a delta or message, reasoning first. Content and reasoning are texts or lists of parts. */
function contentOf(delta: JsonFields, { reasoning }: AnswerFields): ChunkContent {
  const content: ChunkContent = { texts: [], calls: [] };
  addFirst(content, delta, reasoning, 'reasoning');
  addFirst(content, delta, contentKeys, 'content');
  return content;
}

function addFirst(content: ChunkContent, fields: JsonFields, keys: readonly string[], kind: TextKind): void {
  const { texts, calls } = content;
  const before = texts.length + calls.length;
  for (const key of keys) {
    add(content, fields[key], /reason|think/.test(key) ? 'reasoning' : kind);
    if (texts.length + calls.length > before) return;
  }
}

function add(content: ChunkContent, value: unknown, kind: TextKind): void {
  if (typeof value === 'string') {
    if (value !== '') content.texts.push({ kind, text: value });
  } else if (Array.isArray(value)) {
    for (const part of value) add(content, part, kind);
  } else if (isObject(value)) {
    const part = fieldsOf(value);
    const type = textOf(part.type);
    if (/^(tool|function)_?(use|call)/i.test(type)) content.calls.push(part);
    else addFirst(content, part, partKeys, /reason|think/i.test(type) ? 'reasoning' : kind);
  }
}

/**
 * Of a chunk that says nothing, what looks as if it said something after all: its form as JSON, without its texts, which are the
 * caller's own; null where there is nothing.
 */
function unreadIn(chunk: JsonFields, delta: JsonFields): string | null {
  const others = Object.entries(delta).filter(([key]) => !plainKeys.has(key));
  const answers = answerKeys.map((key) => [key, chunk[key]] as const);
  const unread = [...others, ...answers].find(([, value]) => hasText(value));
  const formOnly = (key: string, value: unknown) => (typeof value === 'string' && key !== 'type' ? '…' : value);
  return unread === undefined ? null : JSON.stringify(Object.fromEntries([unread]), formOnly).slice(0, 300);
}

function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return isObject(value) && Object.entries(value).some(([key, each]) => !plainKeys.has(key) && hasText(each));
}

function usageOf(usage: JsonFields): Usage {
  const details = fieldsOf(usage.completion_tokens_details);
  const promptDetails = fieldsOf(usage.prompt_tokens_details);
  return {
    promptTokens: countOf(usage.prompt_tokens) ?? 0,
    completionTokens: countOf(usage.completion_tokens) ?? 0,
    reasoningTokens: countOf(details.reasoning_tokens ?? usage.reasoning_tokens) ?? 0,
    cachedTokens: countOf(promptDetails.cached_tokens ?? usage.cached_tokens) ?? 0,
  };
}
