import { Button, Checkbox, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EstimateSide } from './estimate-side.tsx';
import { jobBody } from './job-body.ts';
import { areFitting, rangesOf } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { hintBelow, Settings } from './settings-fields.tsx';
import { SourceFields } from './source-fields.tsx';
import styles from './training.module.css';
import { useCreateJob } from './training-changes.ts';
import { type NewJobFormProps, useJobForm } from './use-job-form.ts';

export function NewJobForm({ path, bases, datasets, begin }: NewJobFormProps) {
  const t = useTexts(newJobTexts);
  const navigate = useNavigate();
  const create = useCreateJob(path);
  const idempotencyKeyOf = useIdempotencyKey();
  const { form, giveUp } = useJobForm({ path, bases, datasets, begin });
  const base = bases.find(({ id }) => id === form.values.base_model);
  const ranges = rangesOf(base?.training.hyperparameters ?? {});
  const isChosen = base !== undefined && form.values.dataset_id !== '';
  const isFit = areFitting(form.values, ranges);
  const body = jobBody(form.values, ranges);
  const submit = form.onSubmit((fields, event) => {
    if (!isFit) return focusInvalidField({}, fields, event);
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ id, name }) => {
          giveUp();
          notify({ tone: 'good', text: t.created(name) });
          void navigate({ to: '/projects/$owner/$project/training-jobs/$id', params: { ...path, id } });
        },
        onError: (error) => {
          if (isProblem(error) && error.param === 'deploy.alias') form.setFieldError('alias', error.message);
        },
      },
    );
  }, focusInvalidField);
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <div className={styles.fields}>
        <Panel isPage title={t.title} text={t.lead}>
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
        <EstimateSide
          path={path}
          body={isChosen && isFit ? body : null}
          isWrong={isChosen && !isFit}
          error={create.error}
        >
          <Button type="submit" fullWidth mt="md" loading={create.isPending} disabled={!isChosen}>
            {t.start}
          </Button>
        </EstimateSide>
      </div>
    </form>
  );
}
