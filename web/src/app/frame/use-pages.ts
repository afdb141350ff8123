import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { operatorTabs, operatorTexts } from '../../rooms/operator/index.ts';
import { projectQuery, projectsTexts, projectTabs } from '../../rooms/projects/index.ts';
import { useNavigation } from '../use-navigation.ts';
import type { Found } from './palette-order.ts';
import { pathOf } from './palette-search.ts';
import { useCurrentProject } from './use-current-project.ts';

/** The pages of the current project, those of the side bar, and those for operators. */
export function usePages(): Found[] {
  const { language } = useLanguage();
  const projects = useTexts(projectsTexts);
  const operator = useTexts(operatorTexts);
  const current = useCurrentProject();
  const isOperator = useQuery(sessionQuery).data?.account.role === 'admin';
  const { data: project } = useQuery({
    ...projectQuery({ owner: current?.owner ?? '', project: current?.slug ?? '' }),
    enabled: Boolean(current),
  });
  const page = (href: string, text: string, detail?: string): Found => ({ id: href, href, text, detail });
  const ofProject = project ? projectTabs.filter(({ isShown }) => isShown(project)) : [];
  return [
    ...ofProject.map(({ to, text }) =>
      page(
        to.replace(
          '/projects/$owner/$project',
          pathOf({ owner: project?.owner.slug ?? '', slug: project?.slug ?? '' }),
        ),
        projects.tabs[text],
        project?.name,
      ),
    ),
    ...useNavigation()
      .filter(({ isOperators }) => !isOperators)
      .map(({ to, texts }) => page(to, texts[language].name)),
    ...(isOperator ? operatorTabs.map(({ to, text }) => page(to, operator.tabs[text], operator.title)) : []),
  ];
}
