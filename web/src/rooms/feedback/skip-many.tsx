import { Anchor, Button } from '@mantine/core';
import { useRef } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import type { DatasetPath } from '../data/index.ts';
import { type Moved, useMoveMany } from './feedback-changes.ts';
import { feedbackTexts } from './feedback-texts.ts';

export type Skips = {
  /** Tells that events were skipped; its link takes that back. */
  show: (ids: readonly string[]) => void;
  /** Takes the last skip back. */
  undo: () => void;
};

export function useSkips(at: DatasetPath): Skips {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const last = useRef<readonly string[]>([]);
  const restore = useMoveMany(at, 'restore', ({ ids, error }) => {
    if (ids.length > 0) notify({ tone: 'good', text: t.restoredMany(format.number(ids.length)) });
    if (error !== null) notifyProblem(error, language);
  });
  const undo = (ids: readonly string[]) => {
    if (last.current === ids) last.current = [];
    if (ids.length > 0) restore.mutate(ids);
  };
  return {
    undo: () => undo(last.current),
    show: (ids) => {
      last.current = ids;
      notify({
        tone: 'good',
        text: <span>{t.skippedMany(format.number(ids.length))}</span>,
        link: (
          <Anchor component="button" type="button" inherit onClick={() => undo(ids)}>
            {t.undo}
          </Anchor>
        ),
      });
    },
  };
}

type SkipChosenProps = { at: DatasetPath; ids: readonly string[]; skips: Skips; onDone: () => void };

export function SkipChosen({ at, ids, skips, onDone }: SkipChosenProps) {
  const t = useTexts(feedbackTexts);
  const { language } = useLanguage();
  const skip = useMoveMany(at, 'skip', (moved: Moved) => {
    if (moved.ids.length > 0) skips.show(moved.ids);
    if (moved.error !== null) notifyProblem(moved.error, language);
    onDone();
  });
  return (
    <Button size="xs" variant="default" loading={skip.isPending} onClick={() => skip.mutate(ids)}>
      {t.skipChosen}
    </Button>
  );
}
