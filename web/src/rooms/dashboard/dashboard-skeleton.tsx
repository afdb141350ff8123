import { Skeleton } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import figureStyles from '../../ui/figure-row.module.css';
import styles from './dashboard-page.module.css';

const cells = ['available', 'spent', 'requests', 'latency'];

function Charts() {
  return (
    <div className={styles.pair}>
      <Skeleton height={276} radius="lg" />
      <Skeleton height={276} radius="lg" />
    </div>
  );
}

export function ChartsSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div role="status" aria-label={t.loading}>
      <Charts />
    </div>
  );
}

export function DashboardSkeleton() {
  const t = useTexts(sharedTexts);
  return (
    <div className={styles.overview} role="status" aria-label={t.loading}>
      <div className={figureStyles.figures}>
        {cells.map((cell) => (
          <Skeleton key={cell} height={112} radius="lg" />
        ))}
      </div>
      <Charts />
    </div>
  );
}
