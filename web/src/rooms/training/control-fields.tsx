import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { isFitting, replayRange } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { type Dataset, versionChoiceQuery } from './training-queries.ts';
import type { JobForm } from './use-job-form.ts';

type ControlFieldsProps = { path: ProjectPath; form: JobForm; datasets: readonly Dataset[] };

/** What must not be forgotten, and how much of it is learned along. */
export function ControlFields({ path, form, datasets }: ControlFieldsProps) {
  const t = useTexts(newJobTexts);
  const format = useFormat();
  const { data: versions } = useQuery(versionChoiceQuery(path));
  const { control, replay } = form.values;
  const names = new Map(datasets.map(({ id, name }) => [id, name]));
  // A share that is wrong stays in sight, also where the set is taken back.
  const isReplayShown = control !== '' || replay.trim() !== '';
  return (
    <>
      <NativeSelect
        label={t.control}
        description={versions?.data.length === 0 ? t.noVersions : t.controlHint}
        data={[
          { value: '', label: t.noControl },
          ...(versions?.data ?? []).map(({ id, number, dataset_id, example_count }) => ({
            value: id,
            label: t.controlOption(
              names.get(dataset_id) ?? dataset_id,
              format.number(number),
              format.number(example_count),
            ),
          })),
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
