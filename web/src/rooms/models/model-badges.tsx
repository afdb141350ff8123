import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconLock, IconUsers, IconWorld } from '../../ui/icons.tsx';
import type { State, Visibility } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';

const stateColors = { active: 'pine', inactive: 'gray', warming: 'amber', failed: 'rust' } as const;
const visibilityIcons = { private: IconLock, shared: IconUsers, public: IconWorld };

export function StateBadge({ state }: { state: State }) {
  const t = useTexts(modelsTexts);
  return <Badge color={stateColors[state]}>{t.states[state]}</Badge>;
}

export function AccessBadge({ visibility }: { visibility: Visibility }) {
  const t = useTexts(modelsTexts);
  const Icon = visibilityIcons[visibility];
  return (
    <Badge color="gray" leftSection={<Icon size={12} />}>
      {t.visibilities[visibility]}
    </Badge>
  );
}
