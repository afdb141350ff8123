import { Group, Stack } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { ConversationFields } from './conversation-fields.tsx';
import type { ExampleEditorProps } from './example-draft.ts';
import styles from './example-editor.module.css';
import { splits } from './examples-queries.ts';
import { examplesTexts } from './examples-texts.ts';
import { Pair } from './pair-fields.tsx';

export function ExampleEditor({ draft, onChange }: ExampleEditorProps) {
  const t = useTexts(examplesTexts);
  return (
    <Stack gap="md">
      {draft.kind === 'text' ? (
        <ConversationFields draft={draft} onChange={onChange} />
      ) : (
        <Pair draft={draft} onChange={onChange} />
      )}
      <Group gap="xs" role="group" aria-label={t.splitLabel}>
        <span className={styles.label}>{t.splitLabel}</span>
        <SegmentedControl
          size="xs"
          aria-label={t.splitLabel}
          value={draft.split}
          data={splits.map((value) => ({ value, label: t.splitChoices[value] }))}
          onChange={(value) => onChange({ ...draft, split: value === 'test' ? 'test' : 'train' })}
        />
      </Group>
    </Stack>
  );
}
