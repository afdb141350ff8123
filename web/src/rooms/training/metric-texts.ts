import { catalogue, useTexts } from '../../i18n/catalogue.ts';

export const metricTexts = catalogue(
  {
    names: {
      loss: 'Loss',
      exact_match: 'Answers word for word right',
      ndcg10: 'nDCG@10',
      mrr10: 'MRR@10',
      recall1: 'Recall@1',
      recall10: 'Recall@10',
      recall100: 'Recall@100',
      pair_accuracy: 'Right before wrong',
    },
  },
  {
    names: {
      loss: '损失',
      exact_match: '逐字正确的回答',
      ndcg10: 'nDCG@10',
      mrr10: 'MRR@10',
      recall1: 'Recall@1',
      recall10: 'Recall@10',
      recall100: 'Recall@100',
      pair_accuracy: '正例先于负例',
    },
  },
);

type Known = keyof (typeof metricTexts)['en']['names'];
const isKnown = (name: string): name is Known => Object.hasOwn(metricTexts.en.names, name);

/** What a measurement is called; one that this page does not know keeps the name that the trainer gave it. */
export function useMetricName(): (name: string) => string {
  const t = useTexts(metricTexts);
  return (name) => (isKnown(name) ? t.names[name] : name.replaceAll('_', ' '));
}
