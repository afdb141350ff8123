import { Anchor, Button } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import type { DatasetPath } from '../data/index.ts';
import { type Moved, useMoveMany } from './feedback-changes.ts';
import { feedbackTexts } from './feedback-texts.ts';

/** Tells that events were skipped; its link takes that back. */
export function useSkippedNotice(at: DatasetPath): (ids: readonly string[]) => void {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const restore = useMoveMany(at, 'restore', ({ ids, error }) => {
    if (ids.length > 0) notify({ tone: 'good', text: t.restoredMany(format.number(ids.length)) });
    if (error !== null) notifyProblem(error, language);
  });
  return (ids) =>
    notify({
      tone: 'good',
      text: <span>{t.skippedMany(format.number(ids.length))}</span>,
      link: (
        <Anchor component="button" type="button" inherit onClick={() => restore.mutate(ids)}>
          {t.undo}
        </Anchor>
      ),
    });
}

type SkipChosenProps = { at: DatasetPath; ids: readonly string[]; onDone: () => void };

export function SkipChosen({ at, ids, onDone }: SkipChosenProps) {
  const t = useTexts(feedbackTexts);
  const { language } = useLanguage();
  const showSkipped = useSkippedNotice(at);
  const skip = useMoveMany(at, 'skip', (moved: Moved) => {
    if (moved.ids.length > 0) showSkipped(moved.ids);
    if (moved.error !== null) notifyProblem(moved.error, language);
    onDone();
  });
  return (
    <Button size="xs" variant="default" loading={skip.isPending} onClick={() => skip.mutate(ids)}>
      {t.skipChosen}
    </Button>
  );
}
