import { type CountingBasis, createItemCounter, createTokenCounter, type EngineModel, type TokenCount } from '#engine';
import type { BaseModel } from '#models';
import type { ExampleContent, ExampleKind } from '../../content/example-content.ts';
import { countableOf, countingModel } from '../../example-tokens.ts';
import type { ExampleTokenCounter } from '../../examples/new-examples.ts';

export type CountingModels = { baseModels: readonly BaseModel[]; engineModels: readonly EngineModel[] };

/** The token counter for a dataset; null: no model is installed that could count for it. */
export type TokenCounterFor = (dataset: {
  kind: ExampleKind;
  targetModel: string | null;
}) => Promise<ExampleTokenCounter | null>;

/** Texts of a batch are short-lived, so the young generation is larger. */
const youngMb = 8;

export function createTokenCounting(
  environment: Readonly<Record<string, string | undefined>>,
): (models: CountingModels | null) => TokenCounterFor {
  let current: CountingModels | null = null;
  const tokenCounter = createTokenCounter({
    models: () => current?.engineModels ?? [],
    environment,
    log: () => {},
    youngMb,
  });
  return (models) => {
    current = models;
    return async (dataset) => {
      const model = countingModel({ models: { baseModels: () => models?.baseModels ?? [] } }, dataset);
      if (!model) return null;
      const basis = await tokenCounter.basis(model.id);
      const countTexts = (texts: readonly string[]) => tokenCounter.countTexts(model.id, texts);
      return { maxTokens: model.maxContextTokens, count: createBatchCounter(basis, countTexts) };
    };
  };
}

/**
 * Counts contents in this process, where each word is remembered, and asks the process with the tokeniser once a round for the
 * words that are new. Sending it all contents would take longer than everything else about them.
 */
export function createBatchCounter(
  basis: CountingBasis,
  countTexts: (texts: readonly string[]) => Promise<ArrayLike<number>>,
): (contents: readonly ExampleContent[]) => Promise<TokenCount[]> {
  let known: ReadonlyMap<string, number> = new Map();
  const missing = new Set<string>();
  const prepare = createItemCounter(basis, (text) => {
    const count = known.get(text);
    if (count === undefined) missing.add(text);
    return count ?? Number.NaN;
  });
  return async (contents) => {
    const counts: TokenCount[] = [];
    const found = new Map<string, number>();
    const prepared = contents.map((content) => prepare(countableOf(content)));
    for (let uncounted = [...prepared.keys()]; uncounted.length > 0; ) {
      known = found;
      missing.clear();
      uncounted = uncounted.filter((index) => {
        const item = prepared[index];
        const count = item?.count();
        if (!item || !count || Number.isNaN(count.tokens)) return true;
        const problem = item.problem();
        counts[index] = problem === null ? count : { ...count, problem };
        return false;
      });
      if (uncounted.length === 0) break;
      const texts = [...missing];
      const answers = await countTexts(texts);
      if (answers.length !== texts.length) throw new Error('Not every text was counted. This is a bug.');
      for (const [index, text] of texts.entries()) found.set(text, answers[index] ?? 0);
    }
    return counts;
  };
}
