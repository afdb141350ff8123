import { Button, Checkbox, Group, Text } from '@mantine/core';
import { type KeyboardEvent, memo, useId, useState } from 'react';
import { useDraft, useHasDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { IconChevronDown, IconTrash } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { Tag } from '../../ui/tag.tsx';
import type { DatasetPath } from '../data/index.ts';
import { bulkTexts } from './bulk-texts.ts';
import type { Example } from './example.ts';
import { contentOf, draftOf, type ExampleDraft, isReadable } from './example-draft.ts';
import { ExampleEditor } from './example-editor.tsx';
import styles from './example-row.module.css';
import { ExampleSummary, summaryOf } from './example-summary.tsx';
import { ExampleView } from './example-view.tsx';
import { useChangeExample, useDeleteExample } from './examples-changes.ts';
import { examplesTexts } from './examples-texts.ts';
import { IssueList } from './issue-list.tsx';

type ExampleRowProps = {
  at: DatasetPath;
  example: Example;
  isOpen: boolean;
  isReadOnly: boolean;
  onToggle: (id: string) => void;
  isChosen: boolean;
  onChoose: (id: string, isRange: boolean) => void;
};

/** A row of the list; open, it can be edited in place. */
export const ExampleRow = memo(function ExampleRow({ at, example, isOpen, isReadOnly, ...props }: ExampleRowProps) {
  const { onToggle, isChosen, onChoose } = props;
  const t = useTexts(examplesTexts);
  const bulk = useTexts(bulkTexts);
  const id = useId();
  // The button that was pressed is gone.
  const focusHead = () => document.getElementById(`${id}-head`)?.focus();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    onToggle(example.id);
    focusHead();
  };
  const name = summaryOf(example, t.nothingSaid);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from any of its fields
    <div
      className={styles.row}
      data-open={isOpen || undefined}
      data-chosen={isChosen || undefined}
      onKeyDown={onKeyDown}
    >
      <div className={styles.line}>
        {!isReadOnly && (
          <Checkbox
            size="xs"
            className={styles.choose}
            aria-label={bulk.choose(name)}
            checked={isChosen}
            onChange={({ nativeEvent }) =>
              onChoose(example.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        )}
        <button
          type="button"
          id={`${id}-head`}
          className={styles.head}
          data-row-target
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-body` : undefined}
          onClick={() => onToggle(example.id)}
        >
          <span className={styles.summary}>
            {isOpen ? <span className={styles.openName}>{name}</span> : <ExampleSummary example={example} />}
            <Facts example={example} isOpen={isOpen} />
          </span>
          <IconChevronDown size={16} className={styles.mark} />
        </button>
      </div>
      {isOpen && (
        <div id={`${id}-body`} className={styles.body}>
          <IssueList issues={example.issues} />
          {isReadOnly ? (
            <ExampleView text={example.text} embedding={example.embedding} />
          ) : (
            <Editing at={at} example={example} onClose={() => onToggle(example.id)} onSaved={focusHead} />
          )}
        </div>
      )}
    </div>
  );
});

function Facts({ example: { id, text, split, tokens, origin, valid }, isOpen }: { example: Example; isOpen: boolean }) {
  const t = useTexts(examplesTexts);
  const format = useFormat();
  const isChanged = useHasDraft(id);
  return (
    <span className={styles.facts}>
      <Tag color={split === 'train' ? 'gray' : 'ink'}>{t.splits[split]}</Tag>
      {isChanged && !isOpen && <Tag color="amber">{t.notSaved}</Tag>}
      {!valid && <Tag color="rust">{t.notUsable}</Tag>}
      {text && text.messages.length > 2 && <span>{t.messages(format.number(text.messages.length))}</span>}
      {tokens !== null && <span>{t.tokens(format.number(tokens))}</span>}
      <span>{t.origins[origin]}</span>
    </span>
  );
}

type EditingProps = { at: DatasetPath; example: Example; onClose: () => void; onSaved: () => void };

function Editing({ at, example, onClose, onSaved }: EditingProps) {
  const t = useTexts(examplesTexts);
  const shared = useTexts(sharedTexts);
  const [saved, setSaved] = useState<ExampleDraft>(() => draftOf(example));
  const [draft, setDraft, giveUp] = useDraft<ExampleDraft>(example.id, saved);
  const [isConfirming, setConfirming] = useState(false);
  const change = useChangeExample(at, example.id);
  const save = () =>
    change.mutate(contentOf(draft), {
      onSuccess: () => {
        setSaved(draft);
        onSaved();
        notify({ tone: 'good', text: shared.saved });
      },
    });
  const cancel = () => {
    giveUp();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && draft !== saved && isReadable(draft)) save();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Control and Enter save from any of its fields
    <div className={styles.editing} onKeyDown={onKeyDown}>
      <ExampleEditor draft={draft} onChange={setDraft} />
      {change.error ? <ProblemNote error={change.error} /> : null}
      <Group justify="space-between" gap="xs">
        <Button
          size="xs"
          variant="subtle"
          color="rust"
          leftSection={<IconTrash size={14} />}
          onClick={() => setConfirming(true)}
        >
          {t.delete}
        </Button>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={cancel}>
            {draft === saved ? shared.close : shared.cancel}
          </Button>
          <Button size="xs" loading={change.isPending} disabled={draft === saved || !isReadable(draft)} onClick={save}>
            {shared.save}
          </Button>
        </Group>
      </Group>
      <ConfirmDeletion at={at} example={example} isOpen={isConfirming} onClose={() => setConfirming(false)} />
    </div>
  );
}

type ConfirmDeletionProps = { at: DatasetPath; example: Example; isOpen: boolean; onClose: () => void };

function ConfirmDeletion({ at, example, ...dialog }: ConfirmDeletionProps) {
  const t = useTexts(examplesTexts);
  const shared = useTexts(sharedTexts);
  const remove = useDeleteExample(at, () => {
    dialog.onClose();
    notify({ tone: 'good', text: t.deleted });
  });
  return (
    <Confirm
      {...dialog}
      title={t.deleteTitle}
      action={shared.delete}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(example.id)}
    >
      <Text>{t.deleteText}</Text>
    </Confirm>
  );
}
