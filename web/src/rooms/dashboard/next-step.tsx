import { Button, Skeleton } from '@mantine/core';
import { lazyPage } from '../../app/lazy-page.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { AppButton, isPage } from '../../ui/app-link.tsx';
import { Part } from '../../ui/part.tsx';
import type { Dashboard } from './dashboard-queries.ts';
import { dashboardTexts } from './dashboard-texts.ts';
import type { StepDialog } from './step-dialogs.tsx';

// Few need it, once: it is not part of what everybody loads.
const FirstCall = lazyPage(() => import('./first-call.tsx'), 'FirstCall');

export type Step = keyof Dashboard['getting_started'];

type NextStepProps = { step: Step; dashboard: Dashboard; onOpen: (dialog: StepDialog) => void };

/** What to do now, done right here where it can be. */
export function NextStep({ step, dashboard, onOpen }: NextStepProps) {
  const t = useTexts(dashboardTexts);
  switch (step) {
    case 'project':
      return <Button onClick={() => onOpen('project')}>{t.newProject}</Button>;
    case 'key':
      return <Button onClick={() => onOpen('key')}>{t.newKey}</Button>;
    case 'first_call':
      return (
        <Part skeleton={<Skeleton height={150} />}>
          <FirstCall />
        </Part>
      );
    case 'dataset':
      return <ProjectPage dashboard={dashboard} page="data" text={t.toData} />;
    case 'training':
      return <ProjectPage dashboard={dashboard} page="training-jobs/new" text={t.toTraining} />;
  }
}

/** A page of the project that was used last; the list of projects where there is none. */
function ProjectPage({ dashboard, page, text }: { dashboard: Dashboard; page: string; text: string }) {
  const t = useTexts(dashboardTexts);
  const [project] = dashboard.projects.recent;
  const href = project ? `/projects/${project.owner}/${project.slug}/${page}` : '/projects';
  if (isPage(href)) return <AppButton href={href}>{text}</AppButton>;
  return <AppButton href="/projects">{t.toProjects}</AppButton>;
}
