import { useTexts } from '../../i18n/catalogue.ts';
import { useMetricName } from './metric-texts.ts';
import type { Job } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

/** The main metric on held-out examples. */
type HeldOut = {
  name: string;
  curve: string;
  valueOf: (job: Job) => number | null;
};

/** Text models have a loss. Embedding models are measured by retrieval, which is part of the result only. */
export function useHeldOut(kind: 'text' | 'embedding'): HeldOut {
  const t = useTexts(trainingTexts);
  const metricName = useMetricName();
  if (kind === 'text') return { name: t.heldOut, curve: 'eval.loss', valueOf: ({ progress }) => progress.eval_loss };
  const curve = 'eval.ndcg10';
  return { name: metricName('ndcg10'), curve, valueOf: ({ result }) => result?.metrics['ndcg10'] ?? null };
}
