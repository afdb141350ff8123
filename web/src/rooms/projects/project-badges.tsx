import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconLock, IconWorld } from '../../ui/icons.tsx';
import type { Project } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

export function VisibilityBadge({ visibility }: Pick<Project, 'visibility'>) {
  const t = useTexts(projectsTexts);
  const Icon = visibility === 'private' ? IconLock : IconWorld;
  return (
    <Badge color="gray" leftSection={<Icon size={12} />}>
      {t[visibility]}
    </Badge>
  );
}
