import { useForm } from '@mantine/form';
import type { Schemas } from '../../api/generated/contract.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { aliasPattern, type Beginning, type JobFields, rangesOf, settingsFrom } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import type { Dataset } from './training-queries.ts';

type BaseModel = Schemas['BaseModel'];

export type NewJobFormProps = {
  path: ProjectPath;
  bases: readonly BaseModel[];
  datasets: readonly Dataset[];
  begin: Beginning;
};

export type JobForm = ReturnType<typeof useJobForm>;

export function useJobForm({ bases, datasets, begin }: Omit<NewJobFormProps, 'path'>) {
  const t = useTexts(newJobTexts);
  const installed = bases.filter(({ serving }) => serving.available);
  const base = installed.find(({ id }) => id === begin.base) ?? installed[0];
  const dataset = datasets.find(({ id }) => id === begin.dataset) ?? (datasets.length === 1 ? datasets[0] : undefined);
  return useForm<JobFields>({
    initialValues: {
      name: '',
      base_model: base?.id ?? '',
      dataset_id: dataset?.id ?? '',
      dataset_version_id: begin.version ?? '',
      settings: settingsFrom(begin.settings ?? {}, rangesOf(base?.training.hyperparameters ?? {})),
      test_ratio: '',
      every_steps: '',
      early_stopping_patience: '',
      control: begin.control?.dataset_version_id ?? '',
      replay: begin.control?.replay_ratio ? String(begin.control.replay_ratio) : '',
      alias: '',
      activate: true,
    },
    validate: {
      alias: (text) => (text.trim() === '' || aliasPattern.test(text.trim()) ? null : t.aliasWrong),
    },
  });
}
