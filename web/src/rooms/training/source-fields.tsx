import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { uniqueNames } from '../../ui/unique-names.ts';
import { type Dataset, useDatasetOptions, useVersionOption } from '../data/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { isFitting, replayRange } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { isTrainable } from './trainable.ts';
import { versionChoiceQuery } from './training-queries.ts';
import type { JobForm, NewJobFormProps } from './use-job-form.ts';

type SourceFieldsProps = Omit<NewJobFormProps, 'begin'> & { form: JobForm };

export function SourceFields({ path, form, bases, datasets }: SourceFieldsProps) {
  const t = useTexts(newJobTexts);
  const shared = useTexts(sharedTexts);
  const options = useDatasetOptions(datasets);
  const versionOption = useVersionOption();
  const { dataset_id } = form.values;
  const { data: versions } = useQuery({ ...versionChoiceQuery(path, dataset_id), enabled: dataset_id !== '' });
  return (
    <Stack gap="md">
      <NativeSelect
        label={t.base}
        description={t.baseHint}
        data={[
          { value: '', label: t.choose, disabled: true },
          ...bases.map((base) => ({
            value: base.id,
            label: isTrainable(base)
              ? base.name
              : base.training.supported
                ? t.notInstalled(base.name)
                : t.notTrainable(base.name),
            disabled: !isTrainable(base),
          })),
        ]}
        {...form.getInputProps('base_model')}
      />
      <NativeSelect
        label={t.dataset}
        description={t.datasetHint}
        data={[{ value: '', label: t.choose, disabled: true }, ...options]}
        {...form.getInputProps('dataset_id')}
      />
      <NativeSelect
        label={t.version}
        disabled={dataset_id === ''}
        data={[{ value: '', label: t.versionNow }, ...(versions?.data ?? []).map(versionOption)]}
        {...form.getInputProps('dataset_version_id')}
      />
      <ControlFields path={path} form={form} datasets={datasets} />
      <TextInput
        label={`${t.name} (${shared.optional})`}
        placeholder={t.namePlaceholder}
        maxLength={80}
        {...form.getInputProps('name')}
      />
    </Stack>
  );
}

type ControlFieldsProps = { path: ProjectPath; form: JobForm; datasets: readonly Dataset[] };

/** The control set, and its share of the training. */
function ControlFields({ path, form, datasets }: ControlFieldsProps) {
  const t = useTexts(newJobTexts);
  const format = useFormat();
  const versionOption = useVersionOption();
  const { data: versions } = useQuery(versionChoiceQuery(path));
  const { control, replay } = form.values;
  const names = uniqueNames(datasets, format.date);
  // An invalid share stays visible, even if the set is removed.
  const isReplayShown = control !== '' || replay.trim() !== '';
  return (
    <>
      <NativeSelect
        label={t.control}
        description={versions?.data.length === 0 ? t.noVersions : t.controlHint}
        data={[
          { value: '', label: t.noControl },
          ...(versions?.data ?? []).map((version) => {
            const { value, label } = versionOption(version);
            return { value, label: `${names.get(version.dataset_id) ?? version.dataset_id} · ${label}` };
          }),
        ]}
        {...form.getInputProps('control')}
      />
      {isReplayShown && (
        <TextInput
          label={t.replay}
          description={t.replayHint}
          placeholder={t.noReplay}
          inputMode="decimal"
          {...form.getInputProps('replay')}
          error={isFitting(replay, replayRange) ? undefined : t.wrongNumber('0', '0.5')}
        />
      )}
    </>
  );
}
