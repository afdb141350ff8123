import { Alert, Button, Group, Kbd, Switch } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { IconArrowLeft, IconInfoCircle } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { EventFacts } from './event-facts.tsx';
import styles from './feedback.module.css';
import { type Decision, dryRunQuery, type Split, usePromote, useRestore, useSkip } from './feedback-changes.ts';
import { type EventDetail, type EventPath, eventQuery } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { decide, isChanged, type Mark, marksOf, nextMark, suggestion } from './judgment.ts';
import { Keys } from './keys.tsx';
import { Lesson } from './lesson.tsx';
import { Results } from './results.tsx';
import { useInboxKeys } from './use-inbox-keys.ts';

export type EventPaneProps = {
  at: EventPath;
  isReadOnly: boolean;
  isInList: boolean;
  onBack: () => void;
  onStep: (by: number) => void;
  onChoose: () => void;
  /** The event leaves the list. */
  onGone: (id: string) => void;
};

/** One event: what was shown, what people did, and what it would teach. */
export function EventPane({ at, isReadOnly, isInList, onBack, onStep, onChoose, onGone }: EventPaneProps) {
  const t = useTexts(feedbackTexts);
  const { data: event } = useSuspenseQuery(eventQuery(at));
  const [decision, setDecision] = useDecision(at.event);
  const [split, setSplit] = useState<Split>('train');
  const isOpen = (event.state === 'pending' || event.state === 'needs_judgment') && !isReadOnly;
  const blockers = blockersOf(event, decision);
  const actions = useActions(at, onGone);
  const isTried = isOpen && blockers.length === 0 && !actions.isBusy;
  const dryRun = useQuery({ ...dryRunQuery(at, decision), enabled: isTried });
  const marks = marksOf(event, decision, dryRun.data);
  // Not only once it is shown what it would become: who is quick need not wait for that, and the server asks the same again.
  const canPromote = isOpen && blockers.length === 0 && !dryRun.isError;
  const mark = (rank: number, next: Mark | null) => setDecision(decide(decision, marks, rank, next));
  const promote = () => {
    if (canPromote && !actions.isBusy) actions.promote(decision, split);
  };
  const skip = () => {
    if (isReadOnly || actions.isBusy || event.state === 'promoted') return;
    if (event.state === 'skipped') actions.restore();
    else actions.skip();
  };
  useInboxKeys({
    next: () => onStep(1),
    previous: () => onStep(-1),
    judge: (place) => {
      const rank = event.results[place - 1]?.rank;
      if (isOpen && rank !== undefined) mark(rank, nextMark(marks.get(rank)));
    },
    // What has just left the list is still shown for a moment: a second press is not meant to take the first one back.
    promote: isInList ? promote : () => {},
    skip: isInList ? skip : () => {},
    choose: onChoose,
  });
  return (
    <Panel>
      <article className={styles.event} aria-label={t.detail}>
        <Head event={event} onBack={onBack} />
        <Group gap="xs" className={styles.actions}>
          {isOpen && (
            <>
              <Button
                disabled={!canPromote}
                loading={actions.isBusy}
                rightSection={<Kbd size="xs">P</Kbd>}
                onClick={promote}
              >
                {t.promote}
              </Button>
              <SkipButton text={t.skip} onClick={skip} />
              {isChanged(decision) && (
                <Button variant="subtle" onClick={() => setDecision(suggestion)}>
                  {t.asSuggested}
                </Button>
              )}
              <SplitSwitch split={split} onChange={setSplit} />
            </>
          )}
          {event.state === 'skipped' && !isReadOnly && <SkipButton text={t.restore} onClick={skip} />}
        </Group>
        {isOpen && isChanged(decision) && <p className={styles.unsaved}>{t.unsaved}</p>}
        <Results event={event} marks={marks} decision={decision} onMark={isOpen ? mark : null} />
        {isOpen && (
          <Lesson
            promotion={blockers.length === 0 && !dryRun.error ? dryRun.data : undefined}
            blockers={dryRun.error ? blockersIn(dryRun.error) : blockers}
            error={dryRun.error}
          />
        )}
        <Keys />
      </article>
    </Panel>
  );
}

/** What it is about, and what became of it. */
function Head({ event, onBack }: { event: EventDetail; onBack: () => void }) {
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

/** Takes an event out of the inbox, or back into it: the same key does both. */
function SkipButton({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <Button variant="default" rightSection={<Kbd size="xs">S</Kbd>} onClick={onClick}>
      {text}
    </Button>
  );
}

function SplitSwitch({ split, onChange }: { split: Split; onChange: (split: Split) => void }) {
  const t = useTexts(feedbackTexts);
  return (
    <Switch
      size="xs"
      label={t.toTest}
      checked={split === 'test'}
      onChange={({ currentTarget: { checked } }) => onChange(checked ? 'test' : 'train')}
    />
  );
}

function Note({ text }: { text: string }) {
  return (
    <Alert color="gray" icon={<IconInfoCircle />}>
      {text}
    </Alert>
  );
}

/** What is decided about an event is kept while the inbox is open, also while others are looked at. */
function useDecision(eventId: string): [Decision, (decision: Decision) => void] {
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map());
  const setDecision = (next: Decision) => setMade((before) => new Map(before).set(eventId, next));
  return [made.get(eventId) ?? suggestion, setDecision];
}

/** While one event is on its way others can be decided. */
function useActions(at: EventPath, onGone: (id: string) => void) {
  const t = useTexts(feedbackTexts);
  const { language } = useLanguage();
  const outcome = (text: string) => ({
    onDone: (event: { id: string }) => {
      onGone(event.id);
      notify({ tone: 'good', text });
    },
    onError: (error: unknown) => notifyProblem(error, language),
  });
  const promote = usePromote(at, outcome(t.promotedOne));
  const skip = useSkip(at, outcome(t.skippedOne));
  const restore = useRestore(at, outcome(t.restoredOne));
  const id = at.event;
  return {
    isBusy: [promote, skip, restore].some(({ isPending, variables }) => isPending && variables.id === id),
    promote: (decision: Decision, split: Split) => promote.mutate({ id, decision, split }),
    skip: () => skip.mutate({ id }),
    restore: () => restore.mutate({ id }),
  };
}

/** What is known to stand in the way without asking. */
function blockersOf(event: EventDetail, decision: Decision): readonly string[] {
  if (!isChanged(decision)) return event.blockers;
  return decision.positives?.length === 0 ? ['no_positive'] : [];
}

function blockersIn(error: unknown): readonly string[] {
  const blockers = isProblem(error, 'state_conflict') ? error.details?.['blockers'] : null;
  return Array.isArray(blockers) ? blockers.map(String) : [];
}
