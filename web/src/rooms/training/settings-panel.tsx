import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Description, DescriptionList } from '../../ui/description-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { VersionLink } from '../data/index.ts';
import { hyperparameterTexts, useHyperparameterName } from './hyperparameter-texts.ts';
import { inOrder } from './hyperparameters.ts';
import type { Job, JobPath } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

export function SettingsPanel({ path: { owner, project }, job }: { path: JobPath; job: Job }) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const nameOf = useHyperparameterName();
  const { control } = job.evaluation;
  const again = (
    <TextLink to="/projects/$owner/$project/training-jobs/new" params={{ owner, project }} search={{ from: job.id }}>
      {t.settingsAgain}
    </TextLink>
  );
  return (
    <Panel title={t.settings} aside={again}>
      <DescriptionList least="6.5rem">
        <Description name={t.base}>{job.base_model}</Description>
        {inOrder(Object.keys(job.hyperparameters)).map((name) => (
          <Description key={name} name={nameOf(name)}>
            <SettingValue value={job.hyperparameters[name]} />
          </Description>
        ))}
        {control && (
          <Description name={t.control}>
            <VersionLink at={{ owner, project }} version={control.dataset_version_id} />
            {control.replay_ratio > 0 && ` · ${t.replayed(format.percent(control.replay_ratio))}`}
          </Description>
        )}
      </DescriptionList>
    </Panel>
  );
}

export function SettingValue({ value }: { value: unknown }) {
  const t = useTexts(hyperparameterTexts);
  if (value === null || value === undefined) return t.none;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  return String(value);
}
