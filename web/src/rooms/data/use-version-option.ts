import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { datasetsTexts } from './datasets-texts.ts';
import type { Version } from './version-queries.ts';
import { versionName } from './version-queries.ts';

type Choice = Pick<Version, 'id' | 'number' | 'label' | 'example_count'>;

export function useVersionOption(): (version: Choice) => { value: string; label: string } {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  return ({ id, number, label, example_count }) => ({
    value: id,
    label: [versionName(number), label, t.exampleCount(format.number(example_count))].filter(Boolean).join(' · '),
  });
}
