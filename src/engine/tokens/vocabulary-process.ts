import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { type ProcessEnvironment, ProcessGoneError, RequestProcess } from '#processes';
import { type EngineLog, engineProcess } from '../llama/engine-process.ts';
import { unreadable } from '../llama/session-requests.ts';
import type { Countable, VocabularyRequest, VocabularyResponse } from './vocabulary-protocol.ts';

export type VocabularyProcessOptions = {
  environment?: ProcessEnvironment;
  log: EngineLog;
  script?: string;
  /** Longest time without a response of the child, ms. */
  timeoutMs?: number;
  /** The child ends when nothing was requested for this long, ms. */
  idleMs?: number;
  /** For requests in large numbers (`engine-process.ts`). */
  youngMb?: number;
};

/** A child that dies under a request is replaced once. One that crashes at it is not: the request is to blame. */
const mostTries = 2;
const retryAfterSeconds = 5;
const childScript = new URL('./counter-child.ts', import.meta.url);

type ResponseType = VocabularyResponse['type'];

/** One child process that knows the vocabularies of models; it starts with the first request. */
export class VocabularyProcess {
  readonly #process: RequestProcess<VocabularyRequest, VocabularyResponse>;
  #isClosed = false;

  constructor(options: VocabularyProcessOptions) {
    const { environment = {}, log, youngMb, timeoutMs = 60_000, idleMs = 120_000 } = options;
    const script = options.script ?? fileURLToPath(childScript);
    this.#process = new RequestProcess({
      ...engineProcess({ script, environment, name: 'token counter', log, youngMb, hasLowPriority: true }),
      timeoutMs,
      idleMs,
    });
  }

  /**
   * `types`: those that the response can have. Throws `capacity_unavailable` when it fails or takes too long, and `invalid_request`
   * with the field `param` when the child crashes at a text.
   */
  async request<Type extends ResponseType>(
    request: VocabularyRequest,
    types: readonly Type[],
    param: string | null = null,
  ): Promise<Extract<VocabularyResponse, { type: Type }>> {
    const response = await this.#request(request, param);
    const isExpected = (each: VocabularyResponse): each is Extract<VocabularyResponse, { type: Type }> =>
      types.some((type) => type === each.type);
    if (!isExpected(response)) throw new Error('A request got the response of another. This is a bug.');
    return response;
  }

  async #request(request: VocabularyRequest, param: string | null): Promise<VocabularyResponse> {
    for (let tries = 1; ; tries++)
      try {
        if (this.#isClosed) throw new Error('The counter is closed.');
        return await this.#process.request(request);
      } catch (error) {
        const isGone = error instanceof ProcessGoneError;
        if (isGone && error.exit.crashed && error.wasServed) throw unreadable(param);
        if (!isGone || tries >= mostTries) throw unavailable(error);
      }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.stop();
  }
}

function unavailable(cause: unknown) {
  return fault('capacity_unavailable', { message: 'Tokens cannot be counted at present.', retryAfterSeconds, cause });
}

/** Items and characters of one request: it takes some milliseconds, so that callers take turns. */
const mostItems = 200;
const mostChars = 200_000;

export function* batches<Item>(items: readonly Item[], charsOf: (item: Item) => number): Generator<Item[]> {
  let batch: Item[] = [];
  let chars = 0;
  for (const item of items) {
    batch.push(item);
    chars += charsOf(item);
    if (batch.length < mostItems && chars < mostChars) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

export function charactersOf(item: Countable): number {
  const texts = item.type === 'inputs' ? item.texts : item.messages.map(({ content }) => content);
  return texts.reduce((sum, text) => sum + text.length, 0);
}
