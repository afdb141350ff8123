import { ActionIcon, Kbd } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconThumbDown, IconThumbUp } from '../../ui/icons.tsx';
import styles from './feedback.module.css';
import type { Decision } from './feedback-changes.ts';
import type { EventDetail } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { isChanged, type Mark, type Marks } from './judgment.ts';

type ResultsProps = {
  event: EventDetail;
  marks: Marks;
  decision: Decision;
  onMark: ((rank: number, mark: Mark | null) => void) | null;
};

export function Results({ event, marks, decision, onMark }: ResultsProps) {
  const t = useTexts(feedbackTexts);
  const dropped = new Map(isChanged(decision) ? [] : event.suggested.dropped.map((each) => [each.rank, each.reason]));
  return (
    <>
      <h4>{t.resultsTitle}</h4>
      <ol className={styles.results}>
        {event.results.map((result, index) => (
          <li key={result.rank} data-mark={marks.get(result.rank)}>
            <span className={styles.place}>{index < 9 && onMark ? <Kbd size="xs">{index + 1}</Kbd> : result.rank}</span>
            <div className={styles.text}>
              <p>{result.text}</p>
              <Small event={event} result={result} dropped={dropped.get(result.rank)} />
            </div>
            {onMark && <Thumbs rank={result.rank} mark={marks.get(result.rank)} onMark={onMark} />}
          </li>
        ))}
      </ol>
    </>
  );
}

type Result = EventDetail['results'][number];
type Dropped = EventDetail['suggested']['dropped'][number]['reason'];
type SmallProps = { event: EventDetail; result: Result; dropped: Dropped | undefined };

function Small({ event, result, dropped }: SmallProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const judgments = event.judgments.filter(({ rank, document_id: id }) =>
    rank === null ? id !== null && id === result.document_id : rank === result.rank,
  );
  const parts = [
    ...judgments.map(({ signal, label }) => `${t.signals[signal ?? 'manual']} ${t.marks[label]}`.trim()),
    ...(dropped ? [t.dropped[dropped]] : []),
    ...(result.document_id ? [result.document_id] : []),
    ...(result.score === null ? [] : [t.score(format.shortAmount(result.score))]),
  ];
  return parts.length === 0 ? null : <small>{parts.join(' · ')}</small>;
}

type ThumbsProps = { rank: number; mark: Mark | undefined; onMark: (rank: number, mark: Mark | null) => void };

function Thumbs({ rank, mark, onMark }: ThumbsProps) {
  const t = useTexts(feedbackTexts);
  const toggle = (value: Mark) => onMark(rank, mark === value ? null : value);
  return (
    <span className={styles.thumbs}>
      <ActionIcon
        size="md"
        aria-label={t.right(rank)}
        aria-pressed={mark === 'positive'}
        variant={mark === 'positive' ? 'light' : 'subtle'}
        color={mark === 'positive' ? 'pine' : 'gray'}
        onClick={() => toggle('positive')}
      >
        <IconThumbUp size={16} />
      </ActionIcon>
      <ActionIcon
        size="md"
        aria-label={t.wrong(rank)}
        aria-pressed={mark === 'negative'}
        variant={mark === 'negative' ? 'light' : 'subtle'}
        color={mark === 'negative' ? 'rust' : 'gray'}
        onClick={() => toggle('negative')}
      >
        <IconThumbDown size={16} />
      </ActionIcon>
    </span>
  );
}
