import { Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { notify } from '../../ui/notify.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { uniqueNames } from '../../ui/unique-names.ts';
import { type ProjectPath, projectQuery } from '../projects/index.ts';
import { type Dataset, type DatasetPath, datasetQuery } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';
import { type Version, versionName, versionQuery } from './version-queries.ts';

/** Whether a dataset, or its project, is archived. */
export function useReadOnly(at: DatasetPath): boolean {
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const { data: project } = useSuspenseQuery(projectQuery(at));
  return dataset.archived_at !== null || project.archived_at !== null;
}

/** Datasets as options of a select. */
export function useDatasetOptions(datasets: readonly Dataset[]): { value: string; label: string }[] {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  const names = uniqueNames(datasets, format.date);
  return datasets.map(({ id, name, example_count }) => ({
    value: id,
    label: `${names.get(id) ?? name} · ${t.exampleCount(format.number(example_count))}`,
  }));
}

type VersionChoice = Pick<Version, 'id' | 'number' | 'label' | 'example_count'>;

/** A version as an option of a select. */
export function useVersionOption(): (version: VersionChoice) => { value: string; label: string } {
  const t = useTexts(datasetsTexts);
  const format = useFormat();
  return ({ id, number, label, example_count }) => ({
    value: id,
    label: [versionName(number), label, t.exampleCount(format.number(example_count))].filter(Boolean).join(' · '),
  });
}

type VersionLinkProps = { at: ProjectPath; version: string };

/** The name of a dataset and of its version, with a link to the examples. */
export function VersionLink({ at: { owner, project }, version }: VersionLinkProps) {
  const { data: frozen } = useQuery(versionQuery({ owner, project }, version));
  const at = { owner, project, dataset: frozen?.dataset_id ?? '' };
  const { data: dataset } = useQuery({ ...datasetQuery(at), enabled: frozen !== undefined });
  if (!frozen) return '…';
  return (
    <TextLink to="/projects/$owner/$project/data/$dataset" params={at} search={{ version }}>
      {dataset?.name ?? '…'} · {versionName(frozen.number)}
    </TextLink>
  );
}

/** Shown where a dataset must be chosen and there is none. */
export function NoDatasets({ at }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  return (
    <Text c="dimmed">
      {t.noDatasets}{' '}
      <TextLink to="/projects/$owner/$project/data" params={at}>
        {t.toDatasets}
      </TextLink>
    </Text>
  );
}

/** A notice that something became examples, with a link to the dataset. */
export function useSavedNotice({ owner, project }: ProjectPath): (text: string, dataset: string) => void {
  const t = useTexts(datasetsTexts);
  return (text, dataset) =>
    notify({
      tone: 'good',
      text,
      link: (
        <TextLink to="/projects/$owner/$project/data/$dataset" params={{ owner, project, dataset }}>
          {t.toDataset}
        </TextLink>
      ),
    });
}
