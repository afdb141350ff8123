import { Text } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { TextLink } from '../../ui/text-link.tsx';
import type { ProjectPath } from '../projects/index.ts';
import { datasetsTexts } from './datasets-texts.ts';

export function NoDatasets({ at }: { at: ProjectPath }) {
  const t = useTexts(datasetsTexts);
  return (
    <Text c="dimmed">
      {t.noDatasets}{' '}
      <TextLink to="/projects/$owner/$project/data" params={at}>
        {t.toDatasets}
      </TextLink>
    </Text>
  );
}
