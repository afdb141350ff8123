import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { uniqueNames } from '../../ui/unique-names.ts';
import type { Dataset } from '../data/index.ts';
import { useVersionOption } from '../data/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import { isFitting, replayRange } from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { versionChoiceQuery } from './training-queries.ts';
import type { JobForm } from './use-job-form.ts';

type ControlFieldsProps = { path: ProjectPath; form: JobForm; datasets: readonly Dataset[] };

/** The control set, and its share of the training. */
export function ControlFields({ path, form, datasets }: ControlFieldsProps) {
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
