import type { Delta, Finished } from '#engine';
import type { NamedDelta } from './collected-answer.ts';
import { wireId } from './collected-answer.ts';
import type { InferenceDeps } from './deps.ts';
import type { CallRecord, ModelCall } from './model-call.ts';
import { runCall } from './model-call.ts';
import { type CallWatch, type RunEnd, watched } from './observe-calls.ts';
import { preparePrompt } from './prepare-prompt.ts';
import type { TextAnswer, TextRequest } from './protocol.ts';

/** What is known of a prompt that was prepared; null: nobody has counted. */
export type Known = { promptTokens: number | null };

export type Generating = {
  prompt: TextRequest['prompt'];
  sampling: TextRequest['sampling'];
  /** See `TextRequest`. */
  dropsOldestTurns?: boolean;
  fitsContext?: boolean;
  callIdPrefix: TextAnswer['callIdPrefix'];
  onDelta: (delta: NamedDelta) => void;
  /** Told what is known of the prompt before the first delta. */
  onPrepared: ((known: Known) => void) | null;
  streams: boolean;
  /** Nobody sees the answer before its end. */
  whole: boolean;
  /** What is stored with the charge. */
  record: (finished: Finished) => CallRecord;
};

/** Runs one text generation of a call; resolves when it is finished, metered and charged. */
export function generate(deps: InferenceDeps, call: ModelCall, generating: Generating): Promise<Finished> {
  const { sampling, streams } = generating;
  return watched(deps.observe, { call, sampling, streams, endOf }, async (watch) => {
    const recording = deps.autoSave.record(call, generating);
    const listeners = [generating.onDelta, recording?.add, watch && firstOf(watch)].filter((each) => each != null);
    const tell = together(listeners);
    const { callIdPrefix } = generating;
    const onDelta = (delta: Delta) => tell(named(delta, callIdPrefix));
    const finished = await run(deps, call, onDelta, generating);
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

/** Calls of tools get their ids once, so that everybody names them alike. */
function named(delta: Delta, prefix: string): NamedDelta {
  return delta.type === 'tool_call' ? { ...delta, callId: wireId(prefix) } : delta;
}

/** Nearly always there is one listener, and it is called for every token. */
function together(listeners: readonly ((delta: NamedDelta) => void)[]): (delta: NamedDelta) => void {
  const [only, ...others] = listeners;
  if (only && others.length === 0) return only;
  return (delta) => {
    for (const listener of listeners) listener(delta);
  };
}

function firstOf(watch: CallWatch): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) watch.firstDelta();
    isFirst = false;
  };
}

function run(
  deps: InferenceDeps,
  call: ModelCall,
  onDelta: (delta: Delta) => void,
  generating: Generating,
): Promise<Finished> {
  const { prompt, sampling, whole, onPrepared, record } = generating;
  const { engine } = deps;
  const { signal, model, admitted } = call;
  const wanted = {
    ...{ target: model.target, prompt, maxTokens: sampling.maxTokens, scope: admitted.accountId },
    dropsOldestTurns: generating.dropsOldestTurns === true,
    fitsContext: generating.fitsContext === true,
  };
  return runCall(call, {
    record,
    release: ({ handle }) => engine.release(handle),
    async prepare() {
      const prepared = await preparePrompt(engine, wanted, signal);
      onPrepared?.({ promptTokens: prepared.promptTokens || null });
      return prepared;
    },
    async run({ handle, maxTokens }) {
      const finished = await engine.generate(
        { handle, sampling: { ...sampling, maxTokens }, cacheScope: admitted.accountId, signal, whole },
        onDelta,
      );
      const { activeMs, usage, reason } = finished;
      return { result: finished, run: { ...usage, activeMs, cancelled: reason === 'cancelled' } };
    },
  });
}
