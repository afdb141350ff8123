import type { TokenCount } from '#engine';
import { checkExample, contentHash } from '../content/check-example.ts';
import type { ExampleContent, ExampleKind } from '../content/example-content.ts';
import type { Issue } from '../content/issues.ts';

export type Split = 'train' | 'test';
export type Origin = 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';

/** What narrows a list; null: everything. */
export type ExampleFilter = { split: Split | null; origin: Origin | null; valid: boolean | null };

export type NewExample = {
  /** The raw content as its source gives it, not checked yet. */
  content: unknown;
  split: Split;
  origin: Origin;
  /** What it was made of: the id of an import, a message, a call, an event. */
  originId: string | null;
  /** Where the source has counted with the dataset's tokenCounter already. */
  tokens?: TokenCount;
};

export type StorableExample = Omit<NewExample, 'content' | 'tokens'> & {
  json: string;
  bytes: number;
  hash: Buffer;
  /** Null: no model that could count is installed. */
  tokens: number | null;
  /** Examples that are not valid stay out of versions. */
  valid: boolean;
  issues: readonly Issue[];
};

/** Checked and counted; null: an issue is fatal. */
export type PreparedExample = { example: StorableExample; issues: Issue[] } | { example: null; issues: Issue[] };

export type ExampleTokenCounter = {
  /** Of a conversation, or of each text to embed. */
  maxTokens: number;
  count: (contents: readonly ExampleContent[], signal?: AbortSignal) => Promise<TokenCount[]>;
};

/**
 * Checks examples and counts their tokens: all that can be done before the dataset is locked. Null for the tokenCounter where no
 * model is installed that could count.
 */
export async function prepareExamples(
  examples: readonly NewExample[],
  { kind, tokenCounter, signal }: { kind: ExampleKind; tokenCounter: ExampleTokenCounter | null; signal?: AbortSignal },
): Promise<PreparedExample[]> {
  const checked = await withPauses(examples, (example) => ({ example, ...checkExample(example.content, kind) }));
  const uncounted = checked.flatMap(({ example, content }) =>
    content && example.tokens === undefined ? [content] : [],
  );
  const counts = tokenCounter && uncounted.length > 0 ? await tokenCounter.count(uncounted, signal) : [];
  const tokensOf = new Map(uncounted.map((content, index) => [content, counts[index] ?? null]));
  return withPauses(checked, ({ example, content, json, issues }): PreparedExample => {
    if (content === null) return { example: null, issues };
    const tokens = example.tokens ?? tokensOf.get(content) ?? null;
    return storable(example, { json, issues, tokens, maxTokens: tokenCounter?.maxTokens ?? null });
  });
}

/** Longest that others wait for the processor, ms. */
const turnMs = 10;

/** Works through items with pauses, so that other requests are served in between: large examples take a while. */
async function withPauses<In, Out>(items: readonly In[], work: (item: In) => Out): Promise<Out[]> {
  const results: Out[] = [];
  let beganMs = performance.now();
  for (const item of items) {
    results.push(work(item));
    if (performance.now() - beganMs < turnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    beganMs = performance.now();
  }
  return results;
}

type CheckedExample = {
  json: string;
  issues: Issue[];
  tokens: TokenCount | null;
  maxTokens: number | null;
};

export function storable(
  { split, origin, originId }: Omit<NewExample, 'content'>,
  { json, issues, tokens, maxTokens }: CheckedExample,
): { example: StorableExample; issues: Issue[] } {
  const isTooLong = tokens !== null && maxTokens !== null && tokens.longest > maxTokens;
  const all = [...issues, ...issuesOf(tokens, maxTokens)];
  const texts = { json, bytes: Buffer.byteLength(json), hash: contentHash(json) };
  return {
    example: { split, origin, originId, ...texts, tokens: tokens?.tokens ?? null, valid: !isTooLong, issues: all },
    issues: all,
  };
}

export function issuesOf(tokens: TokenCount | null, maxTokens: number | null): Issue[] {
  if (tokens === null) return [];
  const { longest, problem } = tokens;
  return [
    ...(maxTokens !== null && longest > maxTokens ? [overLimit(longest, maxTokens)] : []),
    ...(problem === undefined ? [] : [notLearnable(problem)]),
  ];
}

/** Another model may well learn it, so it stays valid. The problem is empty where it was reported before. */
export function notLearnable(problem: string): Issue {
  return {
    code: 'not_learnable',
    pointer: '',
    message:
      `The model of the dataset cannot learn all answers of this example, so training on that model leaves them out. ${problem}`.trimEnd(),
    hint: null,
  };
}

export function overLimit(tokens: number, maxTokens: number): Issue {
  return {
    code: 'over_token_limit',
    pointer: '',
    message: `It has a text of ${tokens} tokens and the model takes ${maxTokens}, so no version will have it.`,
    hint: 'Shorten it or divide it.',
  };
}
