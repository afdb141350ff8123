import type { Charge } from '#billing';
import type { ChatPrompt, Delta, Finished, Sampling } from '#engine';
import { fault } from '#kernel';
import { chatDefaults } from '#models';
import { type Call, performCall } from './call.ts';
import type { InferenceDeps } from './deps.ts';
import { type CallWatch, type RunEnd, watched } from './observe-calls.ts';

export type Generating = {
  prompt: Omit<ChatPrompt, 'target' | 'maxTokens'>;
  sampling: Sampling;
  onDelta: (delta: Delta) => void;
  streams: boolean;
  /** Nobody sees the answer before its end. */
  whole: boolean;
  /** See `performCall`. */
  keep: ((finished: Finished, charge: Charge) => Promise<void>) | null;
  /** See `performCall`. */
  meanwhile: ((finished: Finished) => void) | null;
};

/** Runs one text generation of a call; resolves when it is finished, metered and charged. */
export function generate(deps: InferenceDeps, call: Call, generating: Generating): Promise<Finished> {
  const { sampling, streams } = generating;
  return watched(deps.observe, { call, sampling, streams, endOf }, async (watch) => {
    const recording = deps.autoSave.record(call, generating);
    const listeners = [generating.onDelta, recording?.add, watch && firstOf(watch, call)].filter(
      (each) => each != null,
    );
    const finished = await run(deps, call, { ...generating, onDelta: together(listeners) });
    recording?.finish(finished);
    return finished;
  });
}

const endOf = ({ reason, usage, activeMs }: Finished): RunEnd => ({
  outcome: reason === 'cancelled' ? 'client_disconnected' : 'succeeded',
  usage,
  activeMs,
  finishReason: reason,
});

/** Nearly always there is one listener, and it is called for every token. */
function together(listeners: readonly ((delta: Delta) => void)[]): (delta: Delta) => void {
  const [only, ...others] = listeners;
  if (only && others.length === 0) return only;
  return (delta) => {
    for (const listener of listeners) listener(delta);
  };
}

/** What comes before the call is confirmed is there for its caller once it is. */
function firstOf(watch: CallWatch, { confirmed }: Call): () => void {
  let isFirst = true;
  const told = () => watch.firstDelta();
  return () => {
    if (!isFirst) return;
    isFirst = false;
    if (confirmed === null) told();
    else confirmed.then(told, () => {});
  };
}

function run(
  deps: InferenceDeps,
  call: Call,
  { prompt, sampling, whole, onDelta, keep, meanwhile }: Generating,
): Promise<Finished> {
  const { engine } = deps;
  const { signal, model, admitted } = call;
  return performCall(deps, call, {
    keep,
    meanwhile,
    async prepare() {
      const prepared = await engine.prepareChat(
        { ...prompt, target: model.target, maxTokens: sampling.maxTokens, scope: admitted.accountId },
        signal,
      );
      const excess = contextExcess(prepared.promptTokens, sampling.maxTokens, prepared.maxContextTokens);
      if (excess) {
        engine.release(prepared.handle);
        throw excess;
      }
      return prepared;
    },
    async run({ handle }) {
      const finished = await engine.generate(
        { handle, sampling, cacheScope: admitted.accountId, signal, whole },
        onDelta,
      );
      const { activeMs, usage, reason } = finished;
      return { result: finished, run: { ...usage, activeMs, cancelled: reason === 'cancelled' } };
    },
  });
}

/** Clients recognise a context overflow by "maximum context length", LangChain for Python by "prompt is too long". */
function contextExcess(promptTokens: number, maxTokens: number, maxContextTokens: number) {
  const requested = promptTokens + maxTokens;
  if (requested <= maxContextTokens) return null;
  const origin = maxTokens === chatDefaults.max_tokens ? ', the default' : '';
  return fault('invalid_request', {
    param: promptTokens >= maxContextTokens ? 'messages' : 'max_tokens',
    message:
      `This model's maximum context length is ${maxContextTokens} tokens. However, you requested ${requested} tokens ` +
      `(${promptTokens} in the prompt, ${maxTokens} in max_tokens${origin}): ` +
      'the prompt is too long or max_tokens is too large. Send fewer messages or tools, or a smaller max_tokens.',
  });
}
