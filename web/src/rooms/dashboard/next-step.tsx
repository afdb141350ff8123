import { Button, Skeleton } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import type { StepDialog } from './step-dialogs.tsx';

// Loaded separately: it is shown to new accounts only.
const FirstCall = lazyComponent(() => import('./first-call.tsx'), 'FirstCall');

export type GettingStartedStep = keyof Dashboard['getting_started'];

type NextStepProps = { step: GettingStartedStep; dashboard: Dashboard; onOpen: (dialog: StepDialog) => void };

export function NextStep({ step, dashboard, onOpen }: NextStepProps) {
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
