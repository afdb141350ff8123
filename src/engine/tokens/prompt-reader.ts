import { fault } from '#kernel';
import { FairSemaphore } from '../fair-queue.ts';
import { embeddingTexts, inputParam } from '../llama/embedding-texts.ts';
import type { ReadChat, ReadInputs } from '../llama/prompts.ts';
import { serializePrompt } from '../llama/protocol.ts';
import type { ChatPrompt, DetokenizeInput, EmbeddingInputs, TokenizeInput } from '../port.ts';
import { inputsTooLong, promptTooLong, stopping, tooManyToTokenise } from '../refusals.ts';
import { VocabularyProcess, type VocabularyProcessOptions } from './vocabulary-process.ts';
import type { ReadRequest, ReadResponse } from './vocabulary-protocol.ts';

/** What a prompt is read for: a model's file, whose context it must fit. */
export type ReadingModel = { ggufPath: string; maxContextTokens: number };

/**
 * Reads large prompts in a process of its own, one at a time: neither the steps of a model nor small prompts wait for one. Scopes
 * (accounts) take turns, and a prompt that cannot fit is not read to its end.
 */
export class PromptReader {
  readonly #process: VocabularyProcess;
  readonly #semaphore = new FairSemaphore();

  constructor(options: VocabularyProcessOptions) {
    this.#process = new VocabularyProcess(options);
  }

  /** Throws `invalid_request` where it does not fit, or where the template refuses it. */
  async chat(
    prompt: ChatPrompt,
    { ggufPath, maxContextTokens: most }: ReadingModel,
    signal: AbortSignal,
  ): Promise<ReadChat> {
    const request = { type: 'readChat', ggufPath, prompt: serializePrompt(prompt), most } as const;
    const response = await this.#read(request, { scope: prompt.scope ?? '', param: 'messages', signal });
    if (response.type === 'chatRead') return response.read;
    if (response.type === 'tooLong') throw promptTooLong({ atLeast: response.atLeast, most });
    throw refusalIn(response);
  }

  async inputs(
    { requestTokens: most = Infinity, scope = '', ...inputs }: EmbeddingInputs,
    { ggufPath }: ReadingModel,
    signal: AbortSignal,
  ): Promise<ReadInputs> {
    const texts = embeddingTexts(inputs);
    const param = inputParam(inputs);
    const request = { type: 'readInputs', ggufPath, ...texts, most } as const;
    const response = await this.#read(request, { scope, param, signal });
    if (response.type === 'inputsRead') return response.read;
    if (response.type === 'tooLong' && response.of !== 'prompt') {
      const { of, atLeast } = response;
      throw inputsTooLong(of, { param, atLeast, most: of === 'input' ? inputs.maxInputTokens : most });
    }
    throw refusalIn(response);
  }

  /** Tokens of a text or a prompt. More than `mostTokens` are refused. */
  async tokens(
    { input, scope }: TokenizeInput,
    { ggufPath }: Pick<ReadingModel, 'ggufPath'>,
    signal: AbortSignal,
  ): Promise<Uint32Array> {
    const param = 'prompt' in input ? 'messages' : 'prompt';
    const request =
      'prompt' in input
        ? ({ type: 'readChat', ggufPath, prompt: serializePrompt(input.prompt), most: mostTokens } as const)
        : ({ type: 'readText', ggufPath, ...input, most: mostTokens } as const);
    const response = await this.#read(request, { scope, param, signal });
    if (response.type === 'chatRead') return response.read.tokens;
    if (response.type === 'textRead') return response.tokens;
    if (response.type === 'tooLong') throw tooManyToTokenise(param, { atLeast: response.atLeast, most: mostTokens });
    throw refusalIn(response);
  }

  async text(
    { tokens, scope }: DetokenizeInput,
    { ggufPath }: Pick<ReadingModel, 'ggufPath'>,
    signal: AbortSignal,
  ): Promise<string> {
    const request = { type: 'readTokens', ggufPath, tokens } as const;
    const response = await this.#read(request, { scope, param: 'tokens', signal });
    if (response.type === 'tokensRead') return response.text;
    throw refusalIn(response);
  }

  async close(): Promise<void> {
    this.#semaphore.close(stopping);
    await this.#process.close();
  }

  #read(
    request: ReadRequest & { ggufPath: string },
    { scope, param, signal }: { scope: string; param: string; signal: AbortSignal },
  ): Promise<ReadResponse> {
    const types = ['chatRead', 'inputsRead', 'textRead', 'tokensRead', 'tooLong', 'refused'] as const;
    return this.#semaphore.run(scope, signal, () => this.#process.request(request, types, param));
  }
}

function refusalIn(response: ReadResponse) {
  if (response.type !== 'refused') return new Error('A request got the response of another. This is a bug.');
  const { message, param } = response;
  return fault('invalid_request', { message, ...(param === null ? {} : { param }) });
}

/** Of a text that is to be made tokens; longer ones would make others wait. */
const mostTokens = 131_072;

/** Characters that are read at once where steps run: it takes some milliseconds. */
const mostAtOnce = 8_192;
/** What a template may write around a message. */
const charactersOfMessage = 64;

export function promptCharacters({ messages, suffix = '', tools }: ChatPrompt): number {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const ofCalls = calls.reduce((sum, call) => sum + call.arguments.length, 0);
  const ofTools = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  return messages.reduce((sum, { content }) => sum + content.length, suffix.length + ofCalls + ofTools);
}

/** Whether reading a prompt of so many characters would keep others waiting. */
export function isLargePrompt(
  characters: number,
  { messages }: Pick<ChatPrompt, 'messages'> = { messages: [] },
): boolean {
  const reasoning = messages.reduce((sum, each) => sum + ('reasoning' in each ? (each.reasoning?.length ?? 0) : 0), 0);
  return characters + reasoning + messages.length * charactersOfMessage > mostAtOnce;
}
