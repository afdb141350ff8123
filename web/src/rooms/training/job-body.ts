import type { HyperparameterName } from './hyperparameters.ts';
import { isNumeric, type JobFields, type Range, type Ranges } from './new-job-fields.ts';
import type { NewJob } from './training-queries.ts';

const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** The body of the request. Empty fields are left out, as the server knows the defaults. */
export function jobBody(fields: JobFields, ranges: Ranges): NewJob {
  const given = Object.entries(fields.settings).flatMap(([name, text]): [string, unknown][] => {
    const range = ranges[name as HyperparameterName];
    if (!range || text.trim() === '') return [];
    return [[name, settingValue(text.trim(), range)]];
  });
  return {
    base_model: fields.base_model,
    dataset_id: fields.dataset_id,
    ...(fields.name.trim() === '' ? {} : { name: fields.name.trim() }),
    ...(fields.dataset_version_id === '' ? {} : { dataset_version_id: fields.dataset_version_id }),
    hyperparameters: Object.fromEntries(given),
    evaluation: {
      test_ratio: numberOrNull(fields.test_ratio),
      every_steps: numberOrNull(fields.every_steps),
      early_stopping_patience: numberOrNull(fields.early_stopping_patience),
      ...(fields.control === '' ? {} : { control: controlOf(fields) }),
    },
    ...(fields.alias.trim() === '' ? {} : { deploy: { alias: fields.alias.trim(), activate: fields.activate } }),
  };
}

function controlOf({ control, replay }: Pick<JobFields, 'control' | 'replay'>) {
  const share = numberOrNull(replay);
  return { dataset_version_id: control, ...(share === null ? {} : { replay_ratio: share }) };
}

function settingValue(text: string, range: Range): unknown {
  if (typeof range.default === 'boolean') return text === 'true';
  return isNumeric(range) ? Number(text) : text;
}
