import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { type ProcessEnvironment, ProcessGoneError, RequestProcess } from '#processes';
import { type EngineLog, engineProcess } from '../llama/engine-process.ts';
import { unreadable } from '../llama/session-requests.ts';
import type { Answer, Question } from './counter-protocol.ts';

export type VocabularyChildOptions = {
  environment?: ProcessEnvironment;
  log: EngineLog;
  /** Replaces the child's program. */
  script?: string;
  /** Longest time without an answer of the child, ms. */
  timeoutMs?: number;
  /** The child ends when nothing was asked for this long, ms. */
  idleMs?: number;
  /** For questions in large numbers (`engine-process.ts`). */
  youngMb?: number;
};

/** A child that dies under a question is replaced once. One that crashes at it is not: the question is to blame. */
const mostTries = 2;
const retryAfterSeconds = 5;
const childScript = new URL('./counter-child.ts', import.meta.url);

/** One child process that knows the vocabularies of models; it starts with the first question. */
export class VocabularyChild {
  readonly #process: RequestProcess<Question, Answer>;
  #isClosed = false;

  constructor(options: VocabularyChildOptions) {
    const { environment = {}, log, youngMb, timeoutMs = 60_000, idleMs = 120_000 } = options;
    const script = options.script ?? fileURLToPath(childScript);
    this.#process = new RequestProcess({
      ...engineProcess({ script, environment, name: 'token counter', log, youngMb, hasLowPriority: true }),
      timeoutMs,
      idleMs,
    });
  }

  /** Throws `capacity_unavailable` when answering fails or takes too long, and `invalid_request` with the field when the child crashes at a text. */
  async ask(question: Question, param: string | null = null): Promise<Answer> {
    for (let tries = 1; ; tries++)
      try {
        if (this.#isClosed) throw new Error('The counter is closed.');
        return await this.#process.request(question);
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
