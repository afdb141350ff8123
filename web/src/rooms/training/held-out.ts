import { useTexts } from '../../i18n/catalogue.ts';
import { useMetricName } from './metric-texts.ts';
import type { Job } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

/** What tells best how good a model has become with examples that it has not learned from. */
type HeldOut = {
  name: string;
  /** Where it is told on the way. */
  curve: string;
  valueOf: (job: Job) => number | null;
};

/** Text has a loss; what embeds is measured by what its searches find, and that is told with the result. */
export function useHeldOut(kind: 'text' | 'embedding'): HeldOut {
  const t = useTexts(trainingTexts);
  const metricName = useMetricName();
  if (kind === 'text') return { name: t.heldOut, curve: 'eval.loss', valueOf: ({ progress }) => progress.eval_loss };
  const curve = 'eval.ndcg10';
  return { name: metricName('ndcg10'), curve, valueOf: ({ result }) => result?.metrics['ndcg10'] ?? null };
}
