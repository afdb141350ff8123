import { Alert, Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconArrowLeft, IconInfoCircle } from '../../ui/icons.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import styles from './feedback.module.css';
import type { EventDetail } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/feedback');
/** The longest query that the list of examples can search for. */
const longestSearch = 500;

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
      <EventSource event={event} />
      {state === 'promoted' && (
        <Note>
          {t.becameExample} <ExampleLink query={query} />
        </Note>
      )}
      {state === 'skipped' && <Note>{reason ? t.skippedBecause(reason) : t.isSkipped}</Note>}
    </>
  );
}

/** Examples have no page of their own: links to the list, filtered by this query. */
function ExampleLink({ query }: { query: string }) {
  const t = useTexts(feedbackTexts);
  const { owner, project, dataset } = route.useParams();
  return (
    <TextLink
      to="/projects/$owner/$project/data/$dataset"
      params={{ owner, project, dataset }}
      search={{ q: query.slice(0, longestSearch) }}
    >
      {t.toExample}
    </TextLink>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Alert color="gray" icon={<IconInfoCircle />}>
      {children}
    </Alert>
  );
}

function EventSource({ event }: { event: EventDetail }) {
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
