import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { When } from '../../ui/when.tsx';
import styles from './models.module.css';
import { type HostedModel, type ModelPath, trainedModelsQuery } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { RenameModel } from './rename-model.tsx';
import { targetValue } from './target-value.ts';
import { useTargetName } from './use-target-name.ts';

export function ModelFacts({ path, model }: { path: ModelPath; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  const { never } = useTexts(sharedTexts);
  const format = useFormat();
  const { limits, rate, runtime } = model;
  return (
    <Panel
      title={model.display_name === model.alias ? t.about : model.display_name}
      aside={<RenameModel path={path} model={model} />}
    >
      <Facts least="13rem">
        <Fact name={t.target} more={model.target.id !== model.base_model && model.base_model}>
          <Target model={model} />
        </Fact>
        <Fact name={t.runtime}>{t.runtimes[runtime.status]}</Fact>
        <Fact name={t.rate}>
          {t.rateText(format.credits(rate.credits_per_gpu_minute))}
          {rate.frozen_at && (
            <span className={styles.quiet}>
              {t.frozenSince} <When at={rate.frozen_at} />
            </span>
          )}
        </Fact>
        {limits.max_context_tokens !== null && (
          <Fact name={t.context}>{t.tokens(format.number(limits.max_context_tokens))}</Fact>
        )}
        {limits.max_input_tokens !== null && (
          <Fact name={t.maxInput}>{t.tokens(format.number(limits.max_input_tokens))}</Fact>
        )}
        {model.dimensions !== null && <Fact name={t.dimensions}>{format.number(model.dimensions)}</Fact>}
        <Fact name={t.lastCalled}>{model.last_called_at ? <When at={model.last_called_at} /> : never}</Fact>
        <Fact name={t.changed}>
          <When at={model.updated_at} />
        </Fact>
      </Facts>
    </Panel>
  );
}

/** A trained model links to its job. */
function Target({ model: { target, kind } }: { model: HostedModel }) {
  const targetName = useTargetName(kind, [target]);
  const { data: trained } = useQuery({ ...trainedModelsQuery(kind), enabled: target.type === 'training_job' });
  const job = trained?.data.find(({ ref }) => ref === targetValue(target));
  if (!job?.project) return targetName(target);
  const { owner, slug } = job.project;
  return (
    <TextLink to="/projects/$owner/$project/training-jobs/$id" params={{ owner, project: slug, id: target.id }}>
      {job.name}
    </TextLink>
  );
}
