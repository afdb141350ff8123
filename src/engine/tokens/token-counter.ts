import { fault } from '#kernel';
import { serializePrompt } from '../llama/protocol.ts';
import type { ChatPrompt, EngineModel } from '../port.ts';
import { batches, textBatches } from './batches.ts';
import type { Answer, Countable, Question, TokenCount } from './counter-protocol.ts';
import type { CountingBasis } from './counting-basis.ts';
import { VocabularyChild, type VocabularyChildOptions } from './vocabulary-child.ts';

/** Counts tokens exactly as a model sees them, without loading the model and without a place in its queue. */
export type TokenCounter = {
  /**
   * Counts in the order of the items. Throws `model_not_installed`, and `capacity_unavailable` when counting fails or takes
   * too long.
   */
  count: (modelId: string, items: readonly Countable[], signal?: AbortSignal) => Promise<TokenCount[]>;
  close: () => Promise<void>;
};

/** Batches of a caller that wait for the child: others have their turn in between. */
const atOnce = 3;

export type TokenCounterOptions = VocabularyChildOptions & {
  /** The installed models at present; asked at every call. */
  models: () => readonly EngineModel[];
};

/** For those who count by themselves and lack nothing but the tokeniser (`item-counter.ts`). Throws as `count` does. */
export type TextTokens = {
  basis: (modelId: string) => Promise<CountingBasis>;
  /** Tokens of plain texts, in their order. */
  countTexts: (modelId: string, texts: readonly string[]) => Promise<number[]>;
};

/** For those who run prompts elsewhere. */
export type PromptTokens = {
  /**
   * Tokens of a prompt as the model runs on it, or of its beginning, as soon as those are more than `most`. null: its template refuses
   * it. Throws as `count` does.
   */
  countPrompt: (prompt: ChatPrompt, most: number, signal: AbortSignal) => Promise<number | null>;
};

/** One child process counts for all models. */
export function createTokenCounter(options: TokenCounterOptions): TokenCounter & TextTokens & PromptTokens {
  const child = new VocabularyChild(options);

  function ggufOf(modelId: string): string {
    const model = options.models().find(({ id }) => id === modelId);
    if (!model) throw fault('model_not_installed', { internal: `Tokens were to be counted for ${modelId}` });
    return model.ggufPath;
  }

  /** Answers in the order of the questions. */
  async function* answers(questions: Iterable<Question>, signal?: AbortSignal): AsyncGenerator<Answer> {
    const asked: Promise<Answer>[] = [];
    for (const question of questions) {
      signal?.throwIfAborted();
      const answer = child.ask(question);
      // It is waited for later, or never.
      answer.catch(() => {});
      asked.push(answer);
      // The child has the next one at hand while the first one is on its way back.
      const first = asked.length >= atOnce ? asked.shift() : undefined;
      if (first) yield await first;
    }
    for (const answer of asked) yield await answer;
  }

  return {
    async count(modelId, items, signal) {
      const ggufPath = ggufOf(modelId);
      const counts: TokenCount[] = [];
      const questions = batches(items).map(
        (batch): Question => ({ type: 'count', ggufPath, items: JSON.stringify(batch) }),
      );
      for await (const answer of answers(questions, signal))
        if (answer.type === 'counted') counts.push(...answer.counts);
      return counts;
    },
    async countPrompt(prompt, most, signal) {
      signal.throwIfAborted();
      const ggufPath = ggufOf(prompt.target.baseModelId);
      const answer = await child.ask({ type: 'readChat', ggufPath, prompt: serializePrompt(prompt), most }, 'messages');
      signal.throwIfAborted();
      if (answer.type === 'tooLong') return answer.atLeast;
      return answer.type === 'chatRead' ? answer.read.tokens.length : null;
    },
    async countTexts(modelId, texts) {
      const ggufPath = ggufOf(modelId);
      const counts: number[] = [];
      const questions = textBatches(texts).map((batch): Question => ({ type: 'countTexts', ggufPath, texts: batch }));
      for await (const answer of answers(questions)) if (answer.type === 'textsCounted') counts.push(...answer.counts);
      return counts;
    },
    async basis(modelId) {
      const answer = await child.ask({ type: 'basis', ggufPath: ggufOf(modelId) });
      if (answer.type !== 'basis') throw new Error('The counter has answered another question. This is a bug.');
      return answer.basis;
    },
    close: () => child.close(),
  };
}
