import { readFile } from 'node:fs/promises';
import type { AdapterProbe } from '#engine';
import { isFields, messageOf } from '#kernel';
import { AttemptFailure } from '../jobs/lifecycle.ts';

/** What the trainer says with its adapter and without, for whoever serves it. */
type Reference = { ids: number[]; stride: number; base: number[]; adapter: number[] };

export type AdapterCheck = {
  /** Least cosine between what the trainer had and what is served; 1: the same. */
  agreement: number;
  /** Largest distance (1 - cosine) between base and adapter as they are served; 0: the adapter does nothing. */
  difference: number;
};

const leastAgreement = 0.99;
/** Below it, an adapter changes less than the base itself differs between trainer and engine. */
const leastDifference = 1e-7;

type CheckedAdapter = { kind: 'text' | 'embedding'; baseGguf: string; adapterGguf: string; checkPath: string };

/**
 * Loads the adapter as it will be served and compares: a result that does not say what was trained is none. Throws
 * `AttemptFailure`.
 */
export async function checkAdapter(
  probe: AdapterProbe,
  { kind, baseGguf, adapterGguf, checkPath }: CheckedAdapter,
  signal: AbortSignal,
): Promise<AdapterCheck> {
  const references = readReferences(await readFile(checkPath, 'utf8'));
  const samples = references.map(({ ids }) => ids);
  const values = await probe({ ggufPath: baseGguf, adapterPath: adapterGguf, kind, samples }, signal).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      const why = messageOf(cause);
      throw failure(`The adapter cannot be loaded: ${why}`, cause);
    },
  );
  const compared = references.map(({ stride, adapter }, index) => {
    const { base = [], adapted = [] } = values[index] ?? {};
    return { agreement: cosine(everyNth(adapted, stride), adapter), difference: 1 - cosine(base, adapted) };
  });
  const agreement = Math.min(...compared.map((each) => each.agreement));
  const difference = Math.max(...compared.map((each) => each.difference));
  // Written so that what is no number fails, too.
  if (!(agreement >= leastAgreement))
    throw failure(`What is served does not say what was trained (cosine ${agreement.toFixed(4)}).`);
  if (!(difference > leastDifference)) throw failure('The adapter changes nothing when it is served.');
  return { agreement, difference };
}

function failure(message: string, cause?: unknown): AttemptFailure {
  return new AttemptFailure('artifact_write_failed', message, { cause });
}

function readReferences(text: string): Reference[] {
  const check: unknown = JSON.parse(text);
  const samples: unknown[] = isFields(check) && Array.isArray(check.samples) ? check.samples : [];
  const references = samples.filter(isReference);
  if (references.length === 0 || references.length < samples.length)
    throw failure('The trainer left no values to compare with.');
  return references;
}

function isReference(value: unknown): value is Reference {
  if (!isFields(value)) return false;
  const { ids, stride, base, adapter } = value;
  return [ids, base, adapter].every(isNumbers) && Number.isInteger(stride) && isNumbers(ids) && ids.length > 0;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

function everyNth(values: readonly number[], stride: number): number[] {
  return values.filter((_, index) => index % stride === 0);
}

/** NaN where they cannot be compared. */
function cosine(some: readonly number[], others: readonly number[]): number {
  if (some.length !== others.length || some.length === 0) return Number.NaN;
  let [product, size, otherSize] = [0, 0, 0];
  for (const [index, one] of some.entries()) {
    const other = others[index] ?? 0;
    product += one * other;
    size += one * one;
    otherSize += other * other;
  }
  return product / Math.sqrt(size * otherSize);
}
