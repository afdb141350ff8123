import { type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import type { Schemas } from '../../api/generated/contract.ts';
import { useDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import type { Dataset } from '../data/index.ts';
import { aliasPattern } from '../models/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { type Beginning, type JobFields, rangesOf, settingsFrom } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { isTrainable } from './trainable.ts';

type BaseModel = Schemas['BaseModel'];

export type NewJobFormProps = {
  path: ProjectPath;
  bases: readonly BaseModel[];
  datasets: readonly Dataset[];
  begin: Beginning;
};

export type JobForm = UseFormReturnType<JobFields>;

/** The form, restored from its draft. */
export function useJobForm({ path, bases, datasets, begin }: NewJobFormProps) {
  const t = useTexts(newJobTexts);
  const installed = bases.filter(isTrainable);
  const base = installed.find(({ id }) => id === begin.base) ?? installed[0];
  const dataset = datasets.find(({ id }) => id === begin.dataset) ?? (datasets.length === 1 ? datasets[0] : undefined);
  const [start] = useState<JobFields>({
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
  });
  const [draft, setDraft, giveUp] = useDraft(`job of ${path.owner}/${path.project} ${JSON.stringify(begin)}`, start);
  const form = useForm<JobFields>({
    initialValues: draft,
    onValuesChange: setDraft,
    validate: {
      alias: (text) => (text.trim() === '' || aliasPattern.test(text.trim()) ? null : t.aliasWrong),
    },
  });
  return { form, giveUp };
}
