import { Skeleton } from '@mantine/core';
import styles from './figure-row.module.css';

type Figure = { label: string; value: string; note: string | null; isBad?: boolean };

export function FigureRow({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ label, value, note, isBad = false }) => (
        <div key={label} className={styles.figure}>
          <dt>{label}</dt>
          <dd className={styles.value}>{value}</dd>
          {note && (
            <dd className={styles.note} data-bad={isBad || undefined}>
              {note}
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

export function FigureRowSkeleton({ figures }: { figures: number }) {
  return (
    <div className={styles.figures}>
      {Array.from({ length: figures }, (_, figure) => figure).map((figure) => (
        <Skeleton key={figure} height="7rem" radius="lg" />
      ))}
    </div>
  );
}
