import { fault } from '#kernel';
import { serializePrompt } from '../llama/protocol.ts';
import type { ReadChat, ReadInputs } from '../llama/read-prompt.ts';
import type { ChatPrompt, EmbeddingInputs } from '../port.ts';
import { inputsTooLong, promptTooLong, stopping } from '../refusals.ts';
import { FairSemaphore } from '../turns/fair-semaphore.ts';
import type { Answer, ReadQuestion } from './counter-protocol.ts';
import { VocabularyChild, type VocabularyChildOptions } from './vocabulary-child.ts';

/** What a prompt is read for: a model's file, whose context it must fit. */
export type ReadingModel = { ggufPath: string; maxContextTokens: number };

/**
 * Reads large prompts in a process of its own, one at a time: neither the steps of a model nor small prompts wait for one. Scopes
 * (accounts) take turns, and a prompt that cannot fit is not read to its end.
 */
export class PromptReader {
  readonly #child: VocabularyChild;
  readonly #semaphore = new FairSemaphore();

  constructor(options: VocabularyChildOptions) {
    this.#child = new VocabularyChild(options);
  }

  /** Throws `invalid_request` where it does not fit, or where the template refuses it. */
  async chat(
    prompt: ChatPrompt,
    { ggufPath, maxContextTokens: most }: ReadingModel,
    signal: AbortSignal,
  ): Promise<ReadChat> {
    const question: ReadQuestion = { type: 'readChat', prompt: serializePrompt(prompt), most };
    const answer = await this.#ask({ ...question, ggufPath }, { scope: prompt.scope ?? '', param: 'messages', signal });
    if (answer.type === 'chatRead') return answer.read;
    if (answer.type === 'tooLong') throw promptTooLong({ atLeast: answer.atLeast, most });
    throw refusalIn(answer);
  }

  async inputs(
    { texts, maxInputTokens, truncate, requestTokens: most = Infinity, scope = '' }: EmbeddingInputs,
    { ggufPath }: ReadingModel,
    signal: AbortSignal,
  ): Promise<ReadInputs> {
    const question: ReadQuestion = { type: 'readInputs', texts, maxInputTokens, truncate, most };
    const answer = await this.#ask({ ...question, ggufPath }, { scope, param: 'input', signal });
    if (answer.type === 'inputsRead') return answer.read;
    if (answer.type === 'tooLong' && answer.of !== 'prompt')
      throw inputsTooLong(answer.of, { atLeast: answer.atLeast, most: answer.of === 'input' ? maxInputTokens : most });
    throw refusalIn(answer);
  }

  async close(): Promise<void> {
    this.#semaphore.close(stopping);
    await this.#child.close();
  }

  #ask(
    question: ReadQuestion & { ggufPath: string },
    { scope, param, signal }: { scope: string; param: string; signal: AbortSignal },
  ): Promise<Answer> {
    return this.#semaphore.run(scope, signal, () => this.#child.ask(question, param));
  }
}

function refusalIn(answer: Answer) {
  if (answer.type !== 'refused') return new Error('A question got the answer of another. This is a bug.');
  const { message, param } = answer;
  return fault('invalid_request', { message, ...(param === null ? {} : { param }) });
}
