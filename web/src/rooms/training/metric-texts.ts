import { catalogue, useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLoss } from './use-loss.ts';

export const metricTexts = catalogue(
  {
    names: {
      loss: 'Validation loss',
      exact_match: 'Exact match',
      ndcg10: 'nDCG@10',
      mrr10: 'MRR@10',
      recall1: 'Recall@1',
      recall10: 'Recall@10',
      recall100: 'Recall@100',
      pair_accuracy: 'Pair accuracy',
    },
    control: (name: string) => `${name} (regression check)`,
    gain: (gain: string, low: string, high: string) =>
      `nDCG@10 changed by ${gain}; with 95 % certainty by ${low} to ${high}.`,
    better: 'It retrieves better than its base model.',
    worse: 'It retrieves worse than its base model: do not serve it.',
    noGain: 'This may be chance.',
  },
  {
    names: {
      loss: '验证损失',
      exact_match: '完全匹配',
      ndcg10: 'nDCG@10',
      mrr10: 'MRR@10',
      recall1: 'Recall@1',
      recall10: 'Recall@10',
      recall100: 'Recall@100',
      pair_accuracy: '配对准确率',
    },
    control: (name) => `${name}（回归检查）`,
    gain: (gain, low, high) => `nDCG@10 变化 ${gain}，95% 置信区间为 ${low} 至 ${high}。`,
    better: '检索效果优于基础模型。',
    worse: '检索效果不如基础模型，不宜上线。',
    noGain: '这可能只是偶然。',
  },
);

type Known = keyof (typeof metricTexts)['en']['names'];
const isKnown = (name: string): name is Known => Object.hasOwn(metricTexts.en.names, name);

const known = Object.keys(metricTexts.en.names);
const ofControl = /^control\./;
const ofGain = /^gain\./;

/** Names of metrics; unknown ones keep the name of the trainer. */
export function useMetricName(): (name: string) => string {
  const t = useTexts(metricTexts);
  const nameOf = (name: string) => (isKnown(name) ? t.names[name] : name.replaceAll('_', ' '));
  return (name) => (ofControl.test(name) ? t.control(nameOf(name.replace(ofControl, ''))) : nameOf(name));
}

/** Metrics of the table, in order; gains are described in a sentence. */
export function listedMetrics(names: Iterable<string>): string[] {
  const place = (name: string) => (isKnown(name) ? known.indexOf(name) : known.length);
  const rank = (name: string) => place(name.replace(ofControl, '')) + (ofControl.test(name) ? known.length + 1 : 0);
  return [...new Set(names)].filter((name) => !isGain(name)).sort((a, b) => rank(a) - rank(b));
}

const shares: readonly string[] = ['exact_match', 'recall1', 'recall10', 'recall100', 'pair_accuracy'];

const isShare = (name: string): boolean => shares.includes(name.replace(ofControl, ''));

/** Metrics that are a share of the examples are shown as percentages. */
export function useMetricValue(): (name: string, value: number | null | undefined) => string {
  const format = useFormat();
  const loss = useLoss();
  return (name, value) => (typeof value === 'number' && isShare(name) ? format.percent(value) : loss(value));
}

/** Confidence bounds are no metrics of their own. */
export const isGain = (name: string): boolean => ofGain.test(name);
