import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import { Tag } from '../../ui/tag.tsx';
import { modelsTexts } from './models-texts.ts';
import styles from './operator.module.css';
import { type ModelPull, operatorModelsQuery, pullsQuery, useCancelPull, usePull } from './operator-queries.ts';
import { useBytes } from './use-bytes.ts';
import { UseModel } from './use-model.tsx';

const isLive = ({ state }: ModelPull) => state === 'queued' || state === 'running';

/** The latest pulls with their progress; nothing while there was none. */
export function Pulls() {
  const t = useTexts(modelsTexts);
  const { data } = useSuspenseQuery(pullsQuery);
  useRefreshAtEnd(data.data);
  if (data.data.length === 0) return null;
  return (
    <Panel title={t.pulls}>
      <Stack gap="md">
        {data.data.map((pull) => (
          <Pull key={pull.id} pull={pull} />
        ))}
      </Stack>
    </Panel>
  );
}

/** A pull that has ended has installed something. */
function useRefreshAtEnd(pulls: readonly ModelPull[]): void {
  const queryClient = useQueryClient();
  const live = pulls.filter(isLive).length;
  const before = useRef(live);
  useEffect(() => {
    if (live < before.current) {
      void queryClient.invalidateQueries(operatorModelsQuery);
      void queryClient.invalidateQueries({ queryKey: ['projects'] });
    }
    before.current = live;
  }, [live, queryClient]);
}

const colors = { queued: 'gray', running: 'amber', succeeded: 'pine', failed: 'rust', canceled: 'gray' } as const;

function Pull({ pull }: { pull: ModelPull }) {
  const t = useTexts(modelsTexts);
  const [isUsing, setUsing] = useState(false);
  const cancel = useCancelPull();
  const again = usePull();
  const { model, state, error, note, base_model_id: installed } = pull;
  return (
    <div>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" className={styles.grows}>
          <strong className={styles.breaks}>{model}</strong>
          <Tag color={colors[state]}>{t.pullStates[state]}</Tag>
        </Group>
        {isLive(pull) && (
          <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(pull.id)}>
            {t.cancelPull}
          </Button>
        )}
        {(state === 'failed' || state === 'canceled') && (
          <Button size="xs" variant="default" loading={again.isPending} onClick={() => again.mutate({ model })}>
            {t.resume}
          </Button>
        )}
        {installed !== null && (
          <Button size="xs" onClick={() => setUsing(true)}>
            {t.use}
          </Button>
        )}
      </Group>
      {isLive(pull) && <Transfer pull={pull} />}
      {(error ?? note) && (
        <Text size="xs" c="dimmed" mt={4} className={styles.breaks}>
          {error ?? note}
        </Text>
      )}
      {installed !== null && <UseModel id={installed} isOpen={isUsing} onClose={() => setUsing(false)} />}
    </div>
  );
}

function Transfer({ pull }: { pull: ModelPull }) {
  const t = useTexts(modelsTexts);
  const bytes = useBytes();
  const format = useFormat();
  const { received_bytes: received, total_bytes: total, bytes_per_second: speed, phase } = pull;
  const share = total === null || total === 0 ? 0 : received / total;
  const parts = [
    total === null ? t.preparing : t.receivedOf(bytes(received), bytes(total)),
    phase === 'check' ? t.checking : '',
    speed > 0 && phase === 'download' ? t.speed(bytes(speed)) : '',
    speed > 0 && total !== null && phase === 'download' ? format.wait((total - received) / speed) : '',
  ];
  return (
    <>
      <Progress value={share * 100} mt="xs" aria-label={t.progressOf(pull.model)} animated={total === null} />
      <Text size="xs" c="dimmed" mt={4}>
        {parts.filter(Boolean).join(' · ')}
      </Text>
    </>
  );
}
