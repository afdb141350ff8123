import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { type Decision, type SplitRule, usePromote, useRestore, useSkip } from './feedback-changes.ts';
import type { EventPath } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';
import { suggestion } from './judgment.ts';
import type { Skips } from './skip-many.tsx';

/** Decisions stay while the inbox is open, also for events that are not shown. */
export function useDecision(eventId: string): [Decision, (decision: Decision) => void] {
  const [made, setMade] = useState<ReadonlyMap<string, Decision>>(new Map());
  const setDecision = (next: Decision) => setMade((before) => new Map(before).set(eventId, next));
  return [made.get(eventId) ?? suggestion, setDecision];
}

/** Several events can be decided at once. */
export function useActions(at: EventPath, { skips, onGone }: { skips: Skips; onGone: (id: string) => void }) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const outcome = (text: string) => ({
    onDone: (event: { id: string }, leaked: number) => {
      onGone(event.id);
      notify({ tone: 'good', text: leaked > 0 ? `${text} ${t.leaked(format.number(leaked))}` : text });
    },
    onError: (error: unknown) => notifyProblem(error, language),
  });
  const promote = usePromote(at, outcome(t.promotedOne));
  const skip = useSkip(at, {
    onDone: (event) => {
      onGone(event.id);
      skips.show([event.id]);
    },
    onError: (error) => notifyProblem(error, language),
  });
  const restore = useRestore(at, outcome(t.restoredOne));
  const id = at.event;
  return {
    isBusy: [promote, skip, restore].some(({ isPending, variables }) => isPending && variables.id === id),
    promote: (decision: Decision, rule: SplitRule) => promote.mutate({ id, decision, rule }),
    skip: () => skip.mutate({ id }),
    restore: () => restore.mutate({ id }),
  };
}
