import { Skeleton } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import styles from './table-skeleton.module.css';

type TableSkeletonProps = { columns: number; rows?: number };

export function TableSkeleton({ columns, rows = 4 }: TableSkeletonProps) {
  const t = useTexts(sharedTexts);
  return (
    <div role="status" aria-label={t.loading}>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className={styles.row}>
          {Array.from({ length: columns }, (_, column) => column).map((column) => (
            <Skeleton key={column} height={12} width={column === 0 ? '70%' : '50%'} />
          ))}
        </div>
      ))}
    </div>
  );
}
