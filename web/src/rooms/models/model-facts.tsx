import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Panel } from '../../ui/panel.tsx';
import { When } from '../../ui/when.tsx';
import { useTargetName } from './model-badges.tsx';
import styles from './models.module.css';
import type { HostedModel, ModelPath } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { RenameModel } from './rename-model.tsx';

/** What a hosted model is and what it costs. */
export function ModelFacts({ path, model }: { path: ModelPath; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  const { never } = useTexts(sharedTexts);
  const format = useFormat();
  const targetName = useTargetName();
  const { limits, rate, runtime } = model;
  return (
    <Panel
      title={model.display_name === model.alias ? t.about : model.display_name}
      aside={<RenameModel path={path} model={model} />}
    >
      <dl className={styles.facts}>
        <Fact name={t.target}>
          {targetName(model.target)}
          {model.target.id !== model.base_model && <span className={styles.quiet}>{model.base_model}</span>}
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
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
