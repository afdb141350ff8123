import type { ChatPrompt, Delta, Finished, Sampling } from '#engine';
import { fault } from '#kernel';
import { type Call, performCall } from './call.ts';
import type { InferenceDeps } from './deps.ts';

/** Runs one text generation of a call; resolves when it is finished, metered and charged. */
export async function generate(
  { engine, billing, autoSave }: InferenceDeps,
  call: Call,
  {
    prompt,
    sampling,
    onDelta,
  }: { prompt: Omit<ChatPrompt, 'target'>; sampling: Sampling; onDelta: (delta: Delta) => void },
): Promise<Finished> {
  const { signal, model, admitted } = call;
  const recording = autoSave.record(call, { prompt, sampling });
  const listen = recording === null ? onDelta : both(recording.add, onDelta);
  const finished = await performCall({ engine, billing }, call, {
    async prepare() {
      const prepared = await engine.prepareChat({ ...prompt, target: model.target }, signal);
      const excess = contextExcess(prepared.promptTokens, sampling.maxTokens, prepared.maxContextTokens);
      if (excess) {
        engine.release(prepared.handle);
        throw excess;
      }
      return prepared;
    },
    async run({ handle }) {
      const finished = await engine.generate({ handle, sampling, cacheScope: admitted.accountId, signal }, listen);
      const { activeMs, usage, reason } = finished;
      return { result: finished, run: { ...usage, activeMs, cancelled: reason === 'cancelled' } };
    },
  });
  recording?.finish(finished);
  return finished;
}

function both(first: (delta: Delta) => void, second: (delta: Delta) => void) {
  return (delta: Delta): void => {
    first(delta);
    second(delta);
  };
}

/** The words "maximum context length" are what clients recognise a context overflow by. */
function contextExcess(promptTokens: number, maxTokens: number, maxContextTokens: number) {
  const requested = promptTokens + maxTokens;
  if (requested <= maxContextTokens) return null;
  return fault('invalid_request', {
    param: promptTokens >= maxContextTokens ? 'messages' : 'max_tokens',
    message:
      `This model's maximum context length is ${maxContextTokens} tokens. However, you requested ${requested} tokens ` +
      `(${promptTokens} in the prompt, ${maxTokens} in max_tokens).`,
  });
}
