import { ActionIcon, Button } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconPlus, IconTrash } from '../../ui/icons.tsx';
import type { ExampleEditorProps } from './example-draft.ts';
import { type EmbeddingDraft, emptyPassage, type PassageDraft } from './example-draft.ts';
import styles from './example-editor.module.css';
import { examplesTexts } from './examples-texts.ts';

export function Pair({ draft, onChange }: ExampleEditorProps<EmbeddingDraft>) {
  const t = useTexts(examplesTexts);
  return (
    <>
      <GrowingTextarea
        label={t.query}
        maxRows={6}
        value={draft.query}
        data-autofocus
        onChange={(event) => onChange({ ...draft, query: event.currentTarget.value })}
      />
      <Passages
        title={t.positives}
        labelOf={t.positive}
        add={t.addPositive}
        passages={draft.positives}
        onChange={(positives) => onChange({ ...draft, positives })}
      />
      <Passages
        title={t.negativesLabel}
        labelOf={t.negative}
        add={t.addNegative}
        passages={draft.negatives}
        onChange={(negatives) => onChange({ ...draft, negatives })}
      />
    </>
  );
}

type PassagesProps = {
  title: string;
  labelOf: (number: number) => string;
  add: string;
  passages: readonly PassageDraft[];
  onChange: (passages: PassageDraft[]) => void;
};

function Passages({ title, labelOf, add, passages, onChange }: PassagesProps) {
  const t = useTexts(examplesTexts);
  const change = (key: number, text: string) =>
    onChange(passages.map((each) => (each.key === key ? { ...each, text } : each)));
  return (
    <div className={styles.passages}>
      <span className={styles.label}>{title}</span>
      {passages.map(({ key, text }, index) => (
        <div key={key} className={styles.passage}>
          <GrowingTextarea
            aria-label={labelOf(index + 1)}
            maxRows={10}
            value={text}
            onChange={(event) => change(key, event.currentTarget.value)}
          />
          <ActionIcon
            size="md"
            aria-label={t.removeText(labelOf(index + 1))}
            onClick={() => onChange(passages.filter((each) => each.key !== key))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...passages, emptyPassage()])}
        >
          {add}
        </Button>
      </div>
    </div>
  );
}
