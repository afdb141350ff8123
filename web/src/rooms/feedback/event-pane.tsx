import { Alert, Button, Group, Kbd } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { areShortcutsOn } from '../../ui/shortcut-keys.ts';
import { ExampleView, type Split } from '../examples/index.ts';
import { Head } from './event-head.tsx';
import styles from './feedback.module.css';
import { type Decision, dryRunQuery, type Promotion } from './feedback-changes.ts';
import { type EventDetail, type EventPath, eventQuery, isOpen } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { decide, isChanged, type Mark, marksOf, nextMark, suggestion } from './judgment.ts';
import { Results } from './results.tsx';
import type { Skips } from './skip-many.tsx';
import { SplitNote, SplitSwitch } from './split-choice.tsx';
import { useActions, useDecision } from './use-event-decision.ts';
import { useInboxKeys } from './use-inbox-keys.ts';

type EventPaneProps = {
  at: EventPath;
  testRatio: number;
  isReadOnly: boolean;
  isInList: boolean;
  skips: Skips;
  onBack: () => void;
  onStep: (by: number) => void;
  onChoose: () => void;
  onGone: (id: string) => void;
};

export function EventPane({ at, testRatio, isReadOnly, isInList, skips, onGone, ...handlers }: EventPaneProps) {
  const { onBack, onStep, onChoose } = handlers;
  const t = useTexts(feedbackTexts);
  const { data: event } = useSuspenseQuery(eventQuery(at));
  const [decision, setDecision] = useDecision(at.event);
  const [chosen, setChosen] = useState<{ event: string; split: Split } | null>(null);
  const canDecide = isOpen(event) && !isReadOnly;
  const blockers = blockersOf(event, decision);
  const actions = useActions(at, { skips, onGone });
  const isTried = canDecide && blockers.length === 0 && !actions.isBusy;
  const split = chosen?.event === at.event ? chosen.split : null;
  const rule = split === null ? { test_ratio: testRatio } : { split };
  const dryRun = useQuery({ ...dryRunQuery(at, decision, rule), enabled: isTried });
  const marks = marksOf(event, decision, dryRun.data);
  // Does not wait for the preview of the example: the server validates again.
  const canPromote = canDecide && blockers.length === 0 && !dryRun.isError;
  const mark = (rank: number, next: Mark | null) => setDecision(decide(decision, marks, rank, next));
  const promote = () => {
    if (canPromote && !actions.isBusy) actions.promote(decision, rule);
  };
  const skip = () => {
    if (isReadOnly || actions.isBusy || event.state === 'promoted') return;
    if (event.state === 'skipped') actions.restore();
    else actions.skip();
  };
  useInboxKeys({
    next: () => onStep(1),
    previous: () => onStep(-1),
    mark: (position) => {
      const rank = event.results[position - 1]?.rank;
      if (canDecide && rank !== undefined) mark(rank, nextMark(marks.get(rank)));
    },
    // The event was just decided and is still shown: a second press must not undo the decision.
    promote: isInList ? promote : () => {},
    skip: isInList ? skip : () => {},
    undo: skips.undo,
    choose: onChoose,
  });
  return (
    <Panel>
      <article className={styles.event} aria-label={t.detail}>
        <Head event={event} onBack={onBack} />
        <Group gap="xs" className={styles.actions}>
          {canDecide && (
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
              <SplitSwitch
                split={split ?? dryRun.data?.examples[0]?.split ?? 'train'}
                onChange={(next) => setChosen({ event: at.event, split: next })}
              />
            </>
          )}
          {event.state === 'skipped' && !isReadOnly && <SkipButton text={t.restore} onClick={skip} />}
        </Group>
        {canDecide && (
          <SplitNote
            querySplit={event.query_split}
            testRatio={testRatio}
            isChosen={split !== null}
            isLeaked={(dryRun.data?.leaked_queries ?? 0) > 0}
          />
        )}
        {canDecide && isChanged(decision) && <p className={styles.unsaved}>{t.unsaved}</p>}
        <Results event={event} marks={marks} decision={decision} onMark={canDecide ? mark : null} />
        {canDecide && (
          <ExamplePreview
            promotion={blockers.length === 0 && !dryRun.error ? dryRun.data : undefined}
            blockers={dryRun.error ? blockersIn(dryRun.error) : blockers}
            error={dryRun.error}
          />
        )}
        <ShortcutLegend canMark={canDecide} canSkip={event.state !== 'promoted' && !isReadOnly} canChoose={canDecide} />
      </article>
    </Panel>
  );
}

/** Skips an event, or restores it: the same key does both. */
function SkipButton({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <Button variant="default" rightSection={<Kbd size="xs">S</Kbd>} onClick={onClick}>
      {text}
    </Button>
  );
}

/** Reasons that are known without a request. */
function blockersOf(event: EventDetail, decision: Decision): readonly string[] {
  if (!isChanged(decision)) return event.blockers;
  return decision.positives?.length === 0 ? ['no_positive'] : [];
}

function blockersIn(error: unknown): readonly string[] {
  const blockers = isProblem(error, 'state_conflict') ? error.details?.['blockers'] : null;
  return Array.isArray(blockers) ? blockers.map(String) : [];
}

type ShortcutLegendProps = { canMark: boolean; canSkip: boolean; canChoose: boolean };

/** Shown where there is a keyboard. */
function ShortcutLegend({ canMark, canSkip, canChoose }: ShortcutLegendProps) {
  const t = useTexts(feedbackTexts);
  if (!areShortcutsOn()) return null;
  const rows = [
    { keys: ['J', 'K'], text: t.keyNext, works: true },
    { keys: ['1', '…', '9'], text: t.keyMark, works: canMark },
    { keys: ['P'], text: t.keyPromote, works: canMark },
    { keys: ['S'], text: t.keySkip, works: canSkip },
    { keys: ['U'], text: t.keyUndo, works: canSkip },
    { keys: ['X'], text: t.keyChoose, works: canChoose },
  ];
  return (
    <dl className={styles.keys} aria-label={t.keys}>
      {rows
        .filter(({ works }) => works)
        .map(({ keys, text }) => (
          <div key={text}>
            <dt>{keys.map((key) => (key === '…' ? '–' : <Kbd key={key}>{key}</Kbd>))}</dt>
            <dd>{text}</dd>
          </div>
        ))}
    </dl>
  );
}

type ExamplePreviewProps = { promotion: Promotion | undefined; blockers: readonly string[]; error: unknown };

function ExamplePreview({ promotion, blockers, error }: ExamplePreviewProps) {
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
