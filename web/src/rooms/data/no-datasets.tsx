import { Text } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { AppLink } from '../../ui/app-link.tsx';
import type { ProjectPath } from '../projects/projects-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

/** Where a dataset is to be chosen and there is none: the way to one. */
export function NoDatasets({ at: { owner, project } }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  return (
    <Text c="dimmed">
      {t.noDatasets} <AppLink href={`/projects/${owner}/${project}/data`}>{t.toDatasets}</AppLink>
    </Text>
  );
}
