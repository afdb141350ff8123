import { Group, Progress, Stack, Text } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { CancelImport } from './cancel-import.tsx';
import type { Import, ImportPath, ImportState } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

type Phase = keyof (typeof importsTexts)['en']['phases'];

const phaseOf = (state: ImportState): Phase =>
  state === 'uploaded' || state === 'importing' || state === 'canceling' ? state : 'profiling';

export function WorkStep({ at, going }: { at: ImportPath; going: Import }) {
  const t = useTexts(importsTexts);
  const format = useFormat();
  const { state, progress } = going;
  const { rows_done: done, rows_total: total, percent } = progress;
  const title = t.phases[phaseOf(state)];
  const rows = total === null ? t.rowsDone(format.number(done)) : t.rowsOf(format.number(done), format.number(total));
  return (
    <Panel title={title}>
      <Stack gap="sm">
        <Progress
          value={percent ?? (state === 'uploaded' ? 0 : 100)}
          striped={percent === null}
          animated={percent === null && state !== 'uploaded'}
          aria-label={title}
          size="md"
        />
        <Group justify="space-between" gap="xs">
          <Text size="sm">{done > 0 && rows}</Text>
          {percent !== null && <Text size="sm">{format.percent(percent / 100)}</Text>}
        </Group>
        <Text size="sm" c="dimmed">
          {t.canLeave}
        </Text>
        {state !== 'canceling' && (
          <Group justify="flex-end">
            <CancelImport at={at} />
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
