import type { Embedded, Engine, PreparedEmbedding } from '#engine';
import type { Fault } from '#kernel';
import type { ServedModel } from '#models';
import type { InferenceDeps } from './deps.ts';
import { type ModelCall, runCall } from './model-call.ts';
import { type RunEnd, watchCall } from './observe-calls.ts';

/** What differs between calls that embed texts and calls that score documents. */
type EmbeddingSteps<Answer> = {
  inputs: Omit<Parameters<Engine['prepareEmbedding']>[0], 'target' | 'maxInputTokens' | 'requestTokens' | 'scope'>;
  /** The refusal of inputs that are longer than the model takes; null: they are not. */
  refusalOf: (prepared: PreparedEmbedding, limits: ServedModel['limits']) => Fault | null;
  /** Throws for an answer that does not fit the request: that is our failure, and free. */
  check: (embedded: Embedded, prepared: PreparedEmbedding) => void;
  answerOf: (embedded: Embedded, prepared: PreparedEmbedding) => Answer;
  bodyOf: (answer: Answer) => object;
};

type Result<Answer> = { embedded: Embedded; answer: Answer };

/** Runs the inputs of one call; resolves when the answer is checked and charged. */
export async function embedInputs<Answer>(
  { engine, observe }: InferenceDeps,
  call: ModelCall,
  { inputs, refusalOf, check, answerOf, bodyOf }: EmbeddingSteps<Answer>,
): Promise<Answer> {
  const { model, signal, admitted } = call;
  const { target, limits } = model;
  const watch = observe && watchCall(observe, { call, sampling: null, streams: false });
  const { answer } = await runCall<PreparedEmbedding, Result<Answer>>(call, {
    observed: watch && { watch, endOf: ({ embedded }) => endOf(call, embedded) },
    record: (result) => ({ body: () => bodyOf(result.answer) }),
    release: ({ handle }) => engine.release(handle),
    async prepare() {
      const { maxInputTokens, requestTokenBudget: requestTokens } = limits;
      const bounds = { maxInputTokens, requestTokens, scope: admitted.accountId };
      const prepared = await engine.prepareEmbedding({ ...inputs, ...bounds, target }, signal);
      const refusal = refusalOf(prepared, limits);
      if (refusal === null) return prepared;
      engine.release(prepared.handle);
      throw refusal;
    },
    async run(prepared) {
      const embedded = await engine.embed({ handle: prepared.handle, signal });
      const cancelled = isCancelled(call, embedded);
      if (!cancelled) check(embedded, prepared);
      const { activeMs, promptTokens } = embedded;
      return {
        result: { embedded, answer: answerOf(embedded, prepared) },
        run: { activeMs, promptTokens, completionTokens: 0, cancelled },
      };
    },
  });
  return answer;
}

const isCancelled = ({ signal }: ModelCall, { vectors }: Embedded) => signal.aborted && vectors.length === 0;

function endOf(call: ModelCall, embedded: Embedded): RunEnd {
  const { promptTokens, activeMs } = embedded;
  return {
    outcome: isCancelled(call, embedded) ? 'client_disconnected' : 'succeeded',
    usage: { promptTokens, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 },
    activeMs,
    finishReason: null,
  };
}
