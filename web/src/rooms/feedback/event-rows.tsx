import { Badge, Checkbox } from '@mantine/core';
import { useMemo } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { LoadMore, type PagedList } from '../../ui/load-more.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { uniqueNames } from '../../ui/unique-names.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import styles from './feedback.module.css';
import { type Event, isOpen } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

const rowHeight = 68;

type EventRowsProps = {
  list: PagedList;
  rows: readonly Event[];
  currentId: string | undefined;
  chosen: ReadonlySet<string>;
  onPick: (id: string) => void;
  onChoose: (id: string) => void;
  onNearEnd: () => void;
};

export function EventRows({ list, rows, currentId, chosen, onPick, onChoose, onNearEnd }: EventRowsProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const names = useMemo(
    () =>
      uniqueNames(
        rows.map(({ id, query, created_at }) => ({ id, name: query, created_at })),
        format.date,
      ),
    [rows, format],
  );
  return (
    <>
      <VirtualList
        label={t.inbox}
        rows={rows}
        total={list.data.pages.at(-1)?.total_count ?? rows.length}
        idOf={({ id }) => id}
        estimate={rowHeight}
        revealedId={currentId ?? null}
        onNearEnd={onNearEnd}
        render={(event) => (
          <EventRow
            event={event}
            name={names.get(event.id) ?? event.query}
            isCurrent={event.id === currentId}
            isChosen={chosen.has(event.id)}
            onPick={onPick}
            onChoose={onChoose}
          />
        )}
      />
      <LoadMore list={list} shown={rows.length} />
    </>
  );
}

type EventRowProps = {
  event: Event;
  /** Distinguishes events with the same query. */
  name: string;
  isCurrent: boolean;
  isChosen: boolean;
  onPick: (id: string) => void;
  onChoose: (id: string) => void;
};

function EventRow({ event, name, isCurrent, isChosen, onPick, onChoose }: EventRowProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const { id, query, result_count: results, model, created_at } = event;
  return (
    <div className={styles.row} data-current={isCurrent || undefined}>
      {isOpen(event) && (
        <Checkbox size="xs" aria-label={t.choose(name)} checked={isChosen} onChange={() => onChoose(id)} />
      )}
      <button
        type="button"
        data-row-target
        aria-current={isCurrent ? 'true' : undefined}
        className={styles.pick}
        onClick={() => onPick(id)}
      >
        <strong>{query}</strong>
        <span>
          <Reason event={event} />
          {t.results(format.number(results))}
          {model && <span>{model}</span>}
          <RelativeTime at={created_at} />
        </span>
      </button>
    </div>
  );
}

/** Why an event can be promoted, or cannot, or was not. */
function Reason({ event }: { event: Event }) {
  const t = useTexts(feedbackTexts);
  const { state, promotable, blockers, query_split: split, skipped_reason: reason } = event;
  if (!isOpen(event)) return state === 'skipped' && reason ? <span>{reason}</span> : null;
  return (
    <>
      {promotable && <Badge color="pine">{t.ready}</Badge>}
      {blockers.map((blocker) => (
        <Badge key={blocker} color={state === 'pending' ? 'amber' : 'gray'}>
          {t.blocked[blocker]}
        </Badge>
      ))}
      {split && !blockers.includes('duplicate_of_example') && <span>{t.querySplits[split]}</span>}
    </>
  );
}
