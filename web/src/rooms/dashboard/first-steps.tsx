import { Badge, Button, Skeleton } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { IconCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import styles from './first-steps.module.css';
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

// Loaded separately: it is shown to new accounts only.
const FirstCall = lazyComponent(() => import('./first-call.tsx'), 'FirstCall');

type GettingStartedStep = keyof Dashboard['getting_started'];

type NextStepProps = { step: GettingStartedStep; dashboard: Dashboard; onOpen: (dialog: StepDialog) => void };

function NextStep({ step, dashboard, onOpen }: NextStepProps) {
  const t = useTexts(dashboardTexts);
  switch (step) {
    case 'project':
      return <Button onClick={() => onOpen('project')}>{t.newProject}</Button>;
    case 'key':
      return <Button onClick={() => onOpen('key')}>{t.newKey}</Button>;
    case 'first_call':
      return (
        <AsyncBoundary skeleton={<Skeleton height={150} />}>
          <FirstCall />
        </AsyncBoundary>
      );
    case 'dataset':
      return <ProjectPage dashboard={dashboard} to="/projects/$owner/$project/data" text={t.toData} />;
    case 'training':
      return <ProjectPage dashboard={dashboard} to="/projects/$owner/$project/training-jobs/new" text={t.toTraining} />;
  }
}

type ProjectPageProps = {
  dashboard: Dashboard;
  to: '/projects/$owner/$project/data' | '/projects/$owner/$project/training-jobs/new';
  text: string;
};

/** In the project that was used last; without one, the list of projects. */
function ProjectPage({ dashboard, to, text }: ProjectPageProps) {
  const t = useTexts(dashboardTexts);
  const [project] = dashboard.projects.recent;
  if (!project) return <ButtonLink to="/projects">{t.toProjects}</ButtonLink>;
  return (
    <ButtonLink to={to} params={{ owner: project.owner, project: project.slug }}>
      {text}
    </ButtonLink>
  );
}
