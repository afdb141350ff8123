import { Alert, Button } from '@mantine/core';
import { useIsFetching, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { IconAlertCircle, IconCircleCheck } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import styles from './operator.module.css';
import { healthQuery } from './operator-queries.ts';
import { operatorTexts } from './operator-texts.ts';

export function HealthPage() {
  const t = useTexts(operatorTexts);
  const queryClient = useQueryClient();
  const isChecking = useIsFetching(healthQuery) > 0;
  return (
    <Panel
      title={t.tabs.health}
      text={t.healthText}
      aside={
        <Button
          variant="default"
          size="xs"
          loading={isChecking}
          onClick={() => void queryClient.refetchQueries(healthQuery)}
        >
          {t.check}
        </Button>
      }
    >
      <AsyncBoundary skeleton={<TableSkeleton columns={1} />}>
        <Findings />
      </AsyncBoundary>
    </Panel>
  );
}

function Findings() {
  const t = useTexts(operatorTexts);
  const { data } = useSuspenseQuery(healthQuery);
  return (
    <>
      {data.healthy ? (
        <Alert color="pine" icon={<IconCircleCheck />} title={t.healthy} />
      ) : (
        <Alert color="rust" icon={<IconAlertCircle />} title={t.problems}>
          <Lines lines={data.problems} />
        </Alert>
      )}
      <h3>{t.notes}</h3>
      <Lines lines={data.notes} />
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={styles.list}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
