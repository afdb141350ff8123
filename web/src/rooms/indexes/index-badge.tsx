import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import type { Index } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

const colors = {
  queued: 'gray',
  building: 'ink',
  ready: 'pine',
  failed: 'rust',
  canceled: 'gray',
  stale: 'amber',
} as const;

export function IndexBadge({ state }: Pick<Index, 'state'>) {
  const t = useTexts(indexesTexts);
  return <Badge color={colors[state]}>{t.states[state]}</Badge>;
}
