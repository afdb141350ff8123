import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import styles from './first-steps.module.css';
import { type GettingStartedStep, NextStep } from './next-step.tsx';
import type { StepDialog } from './step-dialogs.tsx';

const steps: readonly GettingStartedStep[] = ['project', 'key', 'first_call', 'dataset', 'training'];

type FirstStepsProps = { dashboard: Dashboard; onOpen: (dialog: StepDialog) => void };

/** Onboarding steps; hidden when all are done. */
export function FirstSteps({ dashboard, onOpen }: FirstStepsProps) {
  const t = useTexts(dashboardTexts);
  const format = useFormat();
  const done = dashboard.getting_started;
  const next = steps.find((step) => !done[step]);
  const doneCount = steps.filter((step) => done[step]).length;
  const progress = <Badge color="pine">{t.doneOf(format.number(doneCount), format.number(steps.length))}</Badge>;
  return (
    <Panel title={t.start} text={t.startText} aside={progress}>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step} data-done={done[step] || undefined} data-next={step === next || undefined}>
            {done[step] ? <IconCircleCheck size={20} /> : <IconCircle size={20} />}
            <div className={styles.text}>
              <strong>{t.steps[step].do}</strong>
              {done[step] ? <span className="visually-hidden"> ({t.done})</span> : <small>{t.steps[step].why}</small>}
              {step === next && (
                <div className={styles.action}>
                  <NextStep step={step} dashboard={dashboard} onOpen={onOpen} />
                </div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
