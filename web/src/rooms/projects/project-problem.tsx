import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Page } from '../../ui/page.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { projectsTexts } from './projects-texts.ts';

export function ProjectProblem({ error, reset }: ErrorComponentProps) {
  const t = useTexts(projectsTexts);
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (!isProblem(error) || error.status !== 404)
    return (
      <Page title={t.title}>
        <ProblemNote error={error} onRetry={retry} />
      </Page>
    );
  return (
    <Page title={t.goneTitle} lead={t.gone}>
      <div>
        <ButtonLink to="/projects">{t.title}</ButtonLink>
      </div>
    </Page>
  );
}
