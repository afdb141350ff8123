import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ChoiceFilter } from '../../ui/filters.tsx';
import dataStyles from '../../ui/list-page.module.css';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { useReadOnly } from '../data/index.ts';
import { EventPane } from './event-pane.tsx';
import { EventRows } from './event-rows.tsx';
import styles from './feedback.module.css';
import type { Many } from './feedback-changes.ts';
import {
  type EventsFilter,
  type EventsSearch,
  eventsQuery,
  laterStates,
  stateOf,
  testRatioOf,
} from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { NoEvents } from './no-events.tsx';
import { PromoteMany } from './promote-many.tsx';
import { SkipChosen, type Skips, useSkips } from './skip-many.tsx';
import { TestShare } from './test-share.tsx';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/feedback');

export function FeedbackPage() {
  const { state, q } = route.useSearch();
  const filter = { state, q };
  // Rows stay until those of another filter are loaded.
  const shown = useDeferredValue(filter);
  return (
    <AsyncBoundary
      skeleton={
        <Panel flush>
          <TableSkeleton columns={2} rows={6} />
        </Panel>
      }
    >
      <Inbox key={stateOf(shown)} filter={filter} shown={shown} />
    </AsyncBoundary>
  );
}

type InboxProps = {
  filter: EventsFilter;
  shown: EventsFilter;
};

/** List and detail side by side; on narrow screens one after the other. */
function Inbox({ filter, shown }: InboxProps) {
  const at = route.useParams();
  const navigate = route.useNavigate();
  const search = route.useSearch();
  const { event: selectedId } = search;
  // The same for one event and for many.
  const testRatio = testRatioOf(search);
  const { list, rows, total, readOn } = useList(eventsQuery(at, shown));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [many, setMany] = useState<Many | null>(null);
  const currentId = selectedId ?? rows[0]?.id;
  // The event stays until the next one is loaded.
  const shownId = useDeferredValue(currentId);
  const isReadOnly = useReadOnly(at);
  const skips = useSkips(at);
  const go = useCallback(
    (event: string | undefined, replace = true) => void navigate({ search: (now) => ({ ...now, event }), replace }),
    [navigate],
  );
  // The back button returns to the list, which is another screen on phones.
  const pick = useCallback((event: string) => go(event, selectedId !== undefined), [go, selectedId]);
  const choose = useCallback(
    (id: string) =>
      setChosen((now) => (now.has(id) ? new Set([...now].filter((each) => each !== id)) : new Set([...now, id]))),
    [],
  );
  const step = (by: number) => {
    const next = rows[rows.findIndex(({ id }) => id === currentId) + by];
    if (next) go(next.id);
  };
  const moveOn = (id: string) => {
    const index = rows.findIndex((row) => row.id === id);
    if (id === currentId) go((rows[index + 1] ?? rows[index - 1])?.id);
    setChosen((now) => new Set([...now].filter((each) => each !== id)));
  };
  const settle = () => {
    setChosen(new Set());
    // The event that was shown may be decided too.
    go(undefined);
  };
  // Events that are not loaded yet may be eligible.
  const isAnyPromotable = rows.length < total || rows.some(({ promotable }) => promotable);
  const open = rows.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  return (
    <>
      <Bar
        filter={filter}
        chosen={open}
        skips={skips}
        onSkipped={settle}
        isAnyPromotable={isAnyPromotable}
        onClear={() => setChosen(new Set())}
        onPromote={isReadOnly ? null : () => setMany(open.length > 0 ? { ids: open.slice(0, 100) } : { q: filter.q })}
      />
      {rows.length === 0 && selectedId === undefined ? (
        <Panel>
          <NoEvents filter={shown} />
        </Panel>
      ) : (
        <div className={styles.inbox} data-picked={selectedId !== undefined || undefined}>
          <div className={styles.list}>
            <Panel flush>
              <EventRows
                list={list}
                rows={rows}
                currentId={currentId}
                chosen={chosen}
                onPick={pick}
                onChoose={choose}
                onNearEnd={readOn}
              />
            </Panel>
          </div>
          <div className={styles.pane}>
            {shownId && (
              <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={5} />}>
                <EventPane
                  at={{ ...at, event: shownId }}
                  testRatio={testRatio}
                  isReadOnly={isReadOnly}
                  skips={skips}
                  isInList={rows.some(({ id }) => id === shownId)}
                  onBack={() => go(undefined)}
                  onStep={step}
                  onChoose={() => choose(currentId ?? shownId)}
                  onGone={moveOn}
                />
              </AsyncBoundary>
            )}
          </div>
        </div>
      )}
      <PromoteMany at={at} many={many} testRatio={testRatio} onClose={() => setMany(null)} onDone={settle} />
    </>
  );
}

type BarProps = {
  filter: EventsFilter;
  chosen: readonly string[];
  skips: Skips;
  onSkipped: () => void;
  isAnyPromotable: boolean;
  onClear: () => void;
  onPromote: (() => void) | null;
};

function Bar({ filter, chosen, skips, onSkipped, isAnyPromotable, onClear, onPromote }: BarProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const at = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: EventsSearch) =>
    void navigate({ search: (now) => ({ ...now, ...next, event: undefined }), replace: true });
  const state = stateOf(filter);
  const isPending = state === 'pending';
  return (
    <div className={dataStyles.head}>
      <Toolbar>
        <SearchField label={t.search} value={filter.q} onSearch={(q) => change({ q })} />
        <ChoiceFilter
          label={t.state}
          all={t.states.pending}
          values={laterStates}
          names={t.states}
          value={laterStates.find((each) => each === state)}
          onChange={(value) => change({ state: value })}
        />
      </Toolbar>
      {onPromote && (
        <div className={styles.many}>
          {(isPending || state === 'needs_judgment') && (
            <TestShare
              percent={Math.round(testRatioOf(search) * 100)}
              onChange={(share) => void navigate({ search: (now) => ({ ...now, share }), replace: true })}
            />
          )}
          {chosen.length > 0 && (
            <>
              <span aria-live="polite">{t.chosen(format.number(chosen.length))}</span>
              <Button size="xs" variant="default" onClick={onClear}>
                {t.clearChoice}
              </Button>
              <SkipChosen at={at} ids={chosen} skips={skips} onDone={onSkipped} />
            </>
          )}
          {(chosen.length > 0 || (isPending && isAnyPromotable)) && (
            <Button size="xs" variant={chosen.length > 0 ? 'filled' : 'light'} onClick={onPromote}>
              {chosen.length > 0 ? t.promoteChosen : t.promoteAll}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
