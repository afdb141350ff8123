import { useTexts } from '../../i18n/catalogue.ts';
import { IconCheck } from '../../ui/icons.tsx';
import { importsTexts } from './imports-texts.ts';
import styles from './steps.module.css';

const order = ['file', 'check', 'done'] as const;
export type ImportStep = (typeof order)[number];

export function Steps({ step }: { step: ImportStep }) {
  const t = useTexts(importsTexts);
  const now = order.indexOf(step);
  return (
    <ol className={styles.steps} aria-label={t.stepsLabel}>
      {order.map((each, index) => (
        <li key={each} aria-current={each === step ? 'step' : undefined} data-done={index < now || undefined}>
          <span>{index < now ? <IconCheck size={14} /> : index + 1}</span>
          {t.steps[each]}
        </li>
      ))}
    </ol>
  );
}
