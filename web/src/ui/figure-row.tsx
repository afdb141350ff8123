import styles from './figure-row.module.css';

export type FigureFacts = { label: string; value: string; note: string | null; isBad?: boolean };

/** The most important numbers of a page, side by side. */
export function FigureRow({ figures }: { figures: readonly FigureFacts[] }) {
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
