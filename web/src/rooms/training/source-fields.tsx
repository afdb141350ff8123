import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { useDatasetOptions, useVersionOption } from '../data/index.ts';
import { ControlFields } from './control-fields.tsx';
import { newJobTexts } from './new-job-texts.ts';
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
          ...bases.map(({ id, name, serving }) => ({
            value: id,
            label: serving.available ? name : t.notInstalled(name),
            disabled: !serving.available,
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
