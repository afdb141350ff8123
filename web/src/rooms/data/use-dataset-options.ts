import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { uniqueNames } from '../../ui/unique-names.ts';
import type { Dataset } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

export function useDatasetOptions(datasets: readonly Dataset[]): { value: string; label: string }[] {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  const names = uniqueNames(datasets, format.date);
  return datasets.map(({ id, name, example_count }) => ({
    value: id,
    label: `${names.get(id) ?? name} · ${t.exampleCount(format.number(example_count))}`,
  }));
}
