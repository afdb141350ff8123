import { Alert } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ExampleView } from '../examples/index.ts';
import styles from './feedback.module.css';
import type { Promotion } from './feedback-changes.ts';
import { feedbackTexts } from './feedback-texts.ts';

type ExamplePreviewProps = { promotion: Promotion | undefined; blockers: readonly string[]; error: unknown };

export function ExamplePreview({ promotion, blockers, error }: ExamplePreviewProps) {
  const t = useTexts(feedbackTexts);
  const example = promotion?.examples[0];
  const texts: Readonly<Record<string, string>> = t.blockers;
  return (
    <section className={styles.lesson} aria-label={t.teaches} aria-live="polite">
      <h4>{t.teaches}</h4>
      {example && <ExampleView text={null} embedding={example.embedding} />}
      {blockers.length > 0 && (
        <Alert color="amber" icon={<IconAlertTriangle />}>
          {blockers.map((blocker) => texts[blocker] ?? blocker).join(' ')}
        </Alert>
      )}
      {error && blockers.length === 0 ? <ProblemNote error={error} /> : null}
    </section>
  );
}
