import { Progress } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Index } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

export function IndexProgress({ index: { progress, state } }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  const { phase, done, total, percent } = progress;
  return (
    <Panel
      title={t.progress}
      text={phase === null ? t.states[state] : t.phases[phase]}
      aside={total !== null && t.progressOf(format.number(done), format.number(total))}
    >
      <Progress value={percent ?? 0} size={8} aria-label={t.progress} animated={state === 'building'} />
    </Panel>
  );
}
