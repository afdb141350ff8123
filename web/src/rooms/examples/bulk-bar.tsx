import { Anchor, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { IconTrash } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { DatasetPath } from '../data/index.ts';
import styles from './bulk-bar.module.css';
import { type BulkAction, type Chosen, useBulkChange } from './bulk-changes.ts';
import { bulkTexts } from './bulk-texts.ts';
import type { Split } from './example.ts';
import { splits } from './examples-queries.ts';

type BulkBarProps = {
  at: DatasetPath;
  /** Null: none. */
  chosen: Chosen | null;
  /** Such as "12" or "10,000+". */
  count: string;
  onClear: () => void;
};

/** What can be done with the chosen examples. It stays mounted without any, as a move can be undone for a while. */
export function BulkBar({ at, chosen, count, onClear }: BulkBarProps) {
  const t = useTexts(bulkTexts);
  const shared = useTexts(sharedTexts);
  const format = useFormat();
  const [done, setDone] = useState(0);
  const [isConfirming, setConfirming] = useState(false);
  const notifyMoved = useMovedNotice(at);
  const change = useBulkChange(at, setDone);
  const current = change.variables?.action;
  if (chosen === null) return null;
  const run = (action: BulkAction, onDone: (ids: string[]) => void) => {
    setDone(0);
    change.mutate(
      { action, chosen },
      {
        onSuccess: (ids) => {
          onDone(ids);
          onClear();
        },
      },
    );
  };
  const move = (split: Split) => run({ action: 'move', split }, (ids) => notifyMoved(split, ids));
  const remove = () =>
    run({ action: 'delete' }, (ids) => {
      setConfirming(false);
      notify({ tone: 'good', text: t.deleted(format.number(ids.length)) });
    });
  const open = () => {
    change.reset();
    setConfirming(true);
  };
  const isMoving = (split: Split) => change.isPending && current?.action === 'move' && current.split === split;
  const failure = change.error ? <ProblemNote error={change.error} /> : null;
  return (
    <section className={styles.bar} aria-label={t.bar}>
      <span aria-live="polite">{change.isPending && done > 0 ? t.progress(format.number(done)) : t.chosen(count)}</span>
      <Button size="xs" variant="subtle" disabled={change.isPending} onClick={onClear}>
        {t.clear}
      </Button>
      <span className={styles.actions}>
        {splits.map((split) => (
          <Button
            key={split}
            size="xs"
            variant="default"
            loading={isMoving(split)}
            disabled={change.isPending}
            onClick={() => move(split)}
          >
            {t.moveTo[split]}
          </Button>
        ))}
        <Button
          size="xs"
          variant="subtle"
          color="rust"
          leftSection={<IconTrash size={14} />}
          disabled={change.isPending}
          onClick={open}
        >
          {t.delete}
        </Button>
      </span>
      {current?.action === 'move' && failure}
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.deleteTitle(count)}
        action={shared.delete}
        isBusy={change.isPending}
        error={current?.action === 'delete' ? change.error : null}
        onConfirm={remove}
      >
        <Text>{t.deleteText}</Text>
      </Confirm>
    </section>
  );
}

/** Tells that examples were moved; its link moves them back. */
function useMovedNotice(at: DatasetPath): (split: Split, ids: string[]) => void {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const back = useBulkChange(at, () => {});
  const undo = (split: Split, ids: string[]) =>
    back.mutate(
      { action: { action: 'move', split }, chosen: { ids } },
      {
        onSuccess: (moved) => notify({ tone: 'good', text: t.moved[split](format.number(moved.length)) }),
        onError: (error) => notifyProblem(error, language),
      },
    );
  return (split, ids) => {
    if (ids.length === 0) return notify({ tone: 'good', text: t.notMoved });
    notify({
      tone: 'good',
      text: <span>{t.moved[split](format.number(ids.length))}</span>,
      link: (
        <Anchor
          component="button"
          type="button"
          inherit
          onClick={() => undo(split === 'train' ? 'test' : 'train', ids)}
        >
          {t.undo}
        </Anchor>
      ),
    });
  };
}
