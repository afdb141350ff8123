import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Engine } from '#engine';
import { type Clock, Fault } from '#kernel';
import { type EmbeddedTexts, type EmbeddingEngine, embedTexts, type IndexEmbeddingRequest } from './embedding.ts';

export type EmbedInBackground = (request: IndexEmbeddingRequest) => Promise<EmbeddedTexts>;

export type BackgroundOptions = {
  engine: EmbeddingEngine;
  clock: Pick<Clock, 'monotonicMs'>;
  /** Ids of the models whose calls go first. */
  models: () => readonly string[];
  /** How long a model may be away, or have no capacity. */
  timeoutMs?: number;
};

const defaultTimeoutMs = 15 * 60_000;
const longestPauseMs = 5_000;

/**
 * Embeds one batch at a time and lets calls of users go first. Builds take turns, so that none mistakes a batch of
 * another for such a call. Waits while the model loads and while it has no capacity, up to a bound.
 */
export function createBackground(options: BackgroundOptions): EmbedInBackground {
  const { engine, clock, timeoutMs = defaultTimeoutMs } = options;
  const limit = pLimit(1);
  return async (request) => {
    const { signal } = request;
    const untilMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      try {
        return await limit(async () => {
          await giveWay(options, signal);
          return embedTexts(engine, request);
        });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Fault) || !mayPass(error) || clock.monotonicMs() > untilMs) throw error;
        const { retryAfterSeconds = 1 } = error.options;
        await sleep(Math.min(longestPauseMs, retryAfterSeconds * 1_000), undefined, { signal });
      }
    }
  };
}

function mayPass({ fault: name }: Fault): boolean {
  return name === 'model_warming' || name === 'capacity_unavailable';
}

const politeMs = 2_000;
const lookMs = 25;

/**
 * Waits while models have calls, but not for ever, so that a busy server goes on with its work slowly. Calls that come
 * meanwhile share the engine with a batch, turn by turn.
 */
export async function giveWay(
  { engine, models, clock }: Pick<BackgroundOptions, 'models' | 'clock'> & { engine: Pick<Engine, 'load'> },
  signal: AbortSignal,
): Promise<void> {
  const untilMs = clock.monotonicMs() + politeMs;
  const isBusy = () => models().some((id) => sumOf(engine.load(id)) > 0);
  while (isBusy() && clock.monotonicMs() < untilMs) await sleep(lookMs, undefined, { signal });
}

function sumOf({ running, waiting }: { running: number; waiting: number }): number {
  return running + waiting;
}
