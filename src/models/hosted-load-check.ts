import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '#engine';
import { type Clock, Fault } from '#kernel';
import type { HostedTarget } from './hosted-target.ts';

/** Whether a target can be served: null, or why it cannot. The message is for the owner of the alias. */
export type LoadFailure = { code: string; message: string } | null;

export type LoadCheckEngine = Pick<Engine, 'prepareChat' | 'generate' | 'prepareEmbedding' | 'embed' | 'status'>;

type LoadCheck = { engine: LoadCheckEngine; clock: Clock; target: HostedTarget; signal: AbortSignal };

/** How long the engine may be too busy, or too short of memory, before the check gives up. */
const busyTimeoutMs = 30_000;
const maxPauseMs = 1_000;

/**
 * Loads a target and lets it answer once: a file that loads may still have a broken template, and an adapter is first
 * read when it runs. Waits as long as the model loads. Rejects with the signal's reason when it is aborted, and with
 * errors that are no refusals of the engine.
 */
export async function checkLoad({ engine, clock, target, signal }: LoadCheck): Promise<LoadFailure> {
  const busyUntilMs = clock.monotonicMs() + busyTimeoutMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      await answerOnce({ engine, target, signal });
      return null;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Fault)) throw error;
      const isInTime = clock.monotonicMs() < busyUntilMs;
      if (!isTransient(error, { engine, target, isInTime })) return failureOf(error, { engine, target });
      await sleep(pauseMs(error), undefined, { signal });
    }
  }
}

/** Whether the same attempt may succeed later: the model loads still, or the engine is full. */
function isTransient(
  { fault }: Fault,
  { engine, target, isInTime }: Pick<LoadCheck, 'engine' | 'target'> & { isInTime: boolean },
): boolean {
  if (fault === 'model_warming') return true;
  return fault === 'capacity_unavailable' && isInTime && engine.status(target.baseModel.id).status !== 'failed';
}

function failureOf({ row, message }: Fault, { engine, target }: Pick<LoadCheck, 'engine' | 'target'>) {
  const isBroken = engine.status(target.baseModel.id).status === 'failed';
  return { code: isBroken ? 'load_failed' : row.code, message };
}

function pauseMs({ options: { retryAfterSeconds = 1 } }: Fault): number {
  return Math.min(maxPauseMs, retryAfterSeconds * 1_000);
}

type TestCall = Pick<LoadCheck, 'engine' | 'target' | 'signal'>;

function answerOnce(call: TestCall): Promise<void> {
  return call.target.kind === 'text' ? chatOnce(call) : embedOnce(call);
}

async function embedOnce({ engine, target, signal }: TestCall): Promise<void> {
  const { maxInputTokens, maxContextTokens } = target.baseModel;
  const query = target.kind === 'reranker' ? { query: 'Hello' } : {};
  const inputs = {
    target: target.runs,
    texts: ['Hello'],
    ...query,
    maxInputTokens: maxInputTokens ?? maxContextTokens,
  };
  const { handle } = await engine.prepareEmbedding({ ...inputs, truncate: true }, signal);
  await engine.embed({ handle, signal });
}

async function chatOnce({ engine, target, signal }: TestCall): Promise<void> {
  const { handle } = await engine.prepareChat(
    {
      target: target.runs,
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [],
      toolChoice: { mode: 'none' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: null,
    },
    signal,
  );
  const sampling = {
    maxTokens: 1,
    temperature: 0,
    topP: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: 1,
    stop: [],
  };
  // A scope of its own: the check leaves nothing in the cache of an account.
  await engine.generate({ handle, sampling, cacheScope: 'load check', signal }, () => {});
}
