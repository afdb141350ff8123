import { useTexts } from '../../i18n/catalogue.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import styles from './feedback.module.css';
import type { EventDetail } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

export function EventSource({ event }: { event: EventDetail }) {
  const t = useTexts(feedbackTexts);
  const { created_at, model, user_ref, external_id, metadata } = event;
  const facts = [
    ...(model ? [{ name: t.model, value: model }] : []),
    ...(user_ref ? [{ name: t.user, value: user_ref }] : []),
    ...(external_id ? [{ name: t.externalId, value: external_id }] : []),
    ...Object.entries(metadata).map(([name, value]) => ({ name, value })),
  ];
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{t.reported}</dt>
        <dd>
          <RelativeTime at={created_at} />
        </dd>
      </div>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
