import pLimit from 'p-limit';
import type { ChatPrompt } from '../port.ts';
import type { Countable, TokenCount } from '../tokens/vocabulary-protocol.ts';
import type { EngineDialect } from './dialect.ts';
import type { ServingRoute } from './serving-route.ts';
import type { Upstream } from './upstream.ts';
import type { JsonFields } from './wire.ts';

/** Counts with the model's own file, where that is installed here; null: it is not. */
export type LocalCounter = (
  baseModelId: string,
  items: readonly Countable[],
  signal: AbortSignal,
) => Promise<TokenCount[] | null>;
/** The same for a prompt, which need not be read further than `most` tokens; null also where it cannot be read here. */
export type LocalPromptCounter = (prompt: ChatPrompt, most: number, signal: AbortSignal) => Promise<number | null>;

type CountOptions<Local> = {
  route: Pick<ServingRoute, 'baseModelId' | 'upstreamModel' | 'maxContextTokens'>;
  dialect: EngineDialect;
  upstream: Upstream;
  local: Local;
  signal: AbortSignal;
};

/**
 * Tokens of a prompt as the engine runs it: by its own tokenise route, or else by the same model's file. null: neither is there, and the
 * engine checks the length itself. `fields`: the prompt as it is sent.
 */
export async function countPrompt(
  prompt: ChatPrompt,
  fields: JsonFields,
  { route, dialect, upstream, local, signal }: CountOptions<LocalPromptCounter>,
): Promise<number | null> {
  const request = { upstream, model: route.upstreamModel, signal, prompt, fields };
  const count = (await dialect.countPrompt?.(request)) ?? null;
  return count ?? (await local(prompt, route.maxContextTokens, signal));
}

export async function countTexts(
  texts: readonly string[],
  options: CountOptions<LocalCounter>,
): Promise<number[] | null> {
  const { route, local, signal } = options;
  const counts = await countRemotely(texts, options);
  if (counts) return counts;
  const items = texts.map((text): Countable => ({ type: 'inputs', texts: [text] }));
  const here = await local(route.baseModelId, items, signal);
  return here?.map(({ tokens }) => tokens) ?? null;
}

/** A list of inputs must not take a round trip for each. */
const maxConcurrentRequests = 8;

async function countRemotely(
  texts: readonly string[],
  { route, dialect, upstream, signal }: CountOptions<LocalCounter>,
): Promise<number[] | null> {
  if (!dialect.countTexts) return null;
  const { batchSize, count } = dialect.countTexts;
  const batches = Array.from({ length: Math.ceil(texts.length / batchSize) }, (_, n) =>
    texts.slice(n * batchSize, (n + 1) * batchSize),
  );
  const countBatch = async (batch: string[]) => {
    const found = await count({ upstream, model: route.upstreamModel, signal, texts: batch });
    if (found?.length !== batch.length) throw new Uncountable();
    return found;
  };
  const limit = pLimit({ concurrency: maxConcurrentRequests, rejectOnClear: true });
  try {
    // The first shows whether there is such a route.
    const first = await countBatch(batches[0] ?? []);
    const others = await Promise.all(batches.slice(1).map((batch) => limit(countBatch, batch)));
    return [first, ...others].flat();
  } catch (error) {
    limit.clearQueue();
    if (error instanceof Uncountable) return null;
    throw error;
  }
}

/** The engine does not say how many tokens a text has. */
class Uncountable extends Error {}
