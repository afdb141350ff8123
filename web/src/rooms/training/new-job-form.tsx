import { Button, Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/contract.ts';
import { isProblem } from '../../api/problem.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { EstimateSide } from './estimate-side.tsx';
import {
  aliasPattern,
  type Beginning,
  isFitting,
  type JobFields,
  jobBody,
  rangesOf,
  replayRange,
  settingsFrom,
} from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { hintBelow, Settings } from './settings-fields.tsx';
import { SourceFields } from './source-fields.tsx';
import styles from './training.module.css';
import { useCreateJob } from './training-changes.ts';
import type { Dataset } from './training-queries.ts';

export type BaseModel = Schemas['BaseModel'];

export type NewJobFormProps = {
  path: ProjectPath;
  bases: readonly BaseModel[];
  datasets: readonly Dataset[];
  begin: Beginning;
};

export function NewJobForm({ path, bases, datasets, begin }: NewJobFormProps) {
  const t = useTexts(newJobTexts);
  const navigate = useNavigate();
  const create = useCreateJob(path);
  const idempotencyKeyOf = useIdempotencyKey();
  const form = useJobForm({ bases, datasets, begin });
  const base = bases.find(({ id }) => id === form.values.base_model);
  const ranges = rangesOf(base?.training.hyperparameters ?? {});
  const isFit =
    base !== undefined &&
    form.values.dataset_id !== '' &&
    isFitting(form.values.replay, replayRange) &&
    Object.entries(ranges).every(([name, range]) =>
      isFitting(form.values.settings[name as keyof typeof ranges] ?? '', range),
    );
  const body = jobBody(form.values, ranges);
  const submit = form.onSubmit(() => {
    if (!isFit) return;
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ id, name }) => {
          notify({ tone: 'good', text: t.created(name) });
          void navigate({ to: '/projects/$owner/$project/training-jobs/$id', params: { ...path, id } });
        },
        onError: (error) => {
          if (isProblem(error) && error.param === 'deploy.alias') form.setFieldError('alias', error.message);
        },
      },
    );
  });
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        <Panel title={t.title} text={t.lead}>
          <SourceFields path={path} form={form} bases={bases} datasets={datasets} />
        </Panel>
        <Settings form={form} ranges={ranges} lengths={base?.training.max_seq_lengths ?? []} />
        <Panel title={t.afterwards}>
          <div className={styles.grid}>
            <TextInput
              label={t.alias}
              description={t.aliasHint}
              inputWrapperOrder={[...hintBelow]}
              maxLength={63}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps('alias')}
            />
            <Checkbox
              className={styles.level ?? ''}
              label={t.activate}
              disabled={form.values.alias.trim() === ''}
              {...form.getInputProps('activate', { type: 'checkbox' })}
            />
          </div>
        </Panel>
      </div>
      <div className={styles.side}>
        <EstimateSide path={path} body={isFit ? body : null}>
          {create.error ? <ProblemNote error={create.error} /> : null}
          <Button type="submit" fullWidth mt="md" loading={create.isPending} disabled={!isFit}>
            {t.start}
          </Button>
        </EstimateSide>
      </div>
    </form>
  );
}

export type JobForm = ReturnType<typeof useJobForm>;

function useJobForm({ bases, datasets, begin }: Omit<NewJobFormProps, 'path'>) {
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
