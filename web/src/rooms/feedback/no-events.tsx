import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconCircleCheck, IconInbox } from '../../ui/icons.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { projectQuery } from '../projects/index.ts';
import styles from './feedback.module.css';
import { type EventsFilter, stateOf } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/feedback');

export function NoEvents({ filter }: { filter: EventsFilter }) {
  const t = useTexts(feedbackTexts);
  const navigate = route.useNavigate();
  const state = stateOf(filter);
  if (filter.q)
    return (
      <NothingFound onClear={() => void navigate({ search: ({ state, share }) => ({ state, share }), replace: true })}>
        {t.noneFound}
      </NothingFound>
    );
  if (state !== 'pending')
    return (
      <EmptyState icon={state === 'promoted' ? IconCircleCheck : IconInbox} title={t.emptyTitle}>
        {t.emptyStates[state]}
      </EmptyState>
    );
  return (
    <>
      <EmptyState icon={IconInbox} title={t.emptyTitle}>
        {t.empty}
      </EmptyState>
      <HowTo />
    </>
  );
}

function HowTo() {
  const t = useTexts(feedbackTexts);
  const { owner, project, dataset } = route.useParams();
  const { data } = useSuspenseQuery(projectQuery({ owner, project }));
  const origin = new URL(data.inference_base_url).origin;
  const body = {
    query: 'how do I get my money back',
    results: [
      { rank: 1, text: 'Parcels leave our house every evening at six.' },
      { rank: 2, text: 'Refunds are paid within five days.' },
    ],
    judgments: [{ rank: 2, label: 'positive', signal: 'click' }],
  };
  const command = [
    `curl ${origin}/api/v1/projects/${owner}/${project}/datasets/${dataset}/retrieval-events \\`,
    `  -H "Authorization: Bearer $FANFOLD_KEY" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}'`,
  ].join('\n');
  return (
    <div className={styles.howTo}>
      <CodeBlock code={command} label={t.howTo} />
    </div>
  );
}
