import { useTexts } from '../../i18n/catalogue.ts';
import { When } from '../../ui/when.tsx';
import styles from './feedback.module.css';
import type { EventDetail } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

export function EventFacts({ event }: { event: EventDetail }) {
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
          <When at={created_at} />
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
