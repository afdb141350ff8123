import { Alert, Button } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconArrowLeft, IconInfoCircle } from '../../ui/icons.tsx';
import { EventFacts } from './event-facts.tsx';
import styles from './feedback.module.css';
import type { EventDetail } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

/** What it is about, and what became of it. */
export function Head({ event, onBack }: { event: EventDetail; onBack: () => void }) {
  const t = useTexts(feedbackTexts);
  const { query, state, skipped_reason: reason } = event;
  return (
    <>
      <Button
        className={styles.back}
        size="compact-sm"
        variant="subtle"
        leftSection={<IconArrowLeft size={14} />}
        onClick={onBack}
      >
        {t.backToList}
      </Button>
      <h3>{query}</h3>
      <EventFacts event={event} />
      {state === 'promoted' && <Note text={t.becameExample} />}
      {state === 'skipped' && <Note text={reason ? t.skippedBecause(reason) : t.isSkipped} />}
    </>
  );
}

function Note({ text }: { text: string }) {
  return (
    <Alert color="gray" icon={<IconInfoCircle />}>
      {text}
    </Alert>
  );
}
