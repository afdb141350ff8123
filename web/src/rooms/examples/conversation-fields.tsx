import { ActionIcon, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconPlus, IconTrash } from '../../ui/icons.tsx';
import type { ExampleEditorProps } from './example-draft.ts';
import { emptyMessage, listIn, type MessageDraft, roles, type TextDraft } from './example-draft.ts';
import styles from './example-editor.module.css';
import { examplesTexts } from './examples-texts.ts';

export function ConversationFields({ draft, onChange }: ExampleEditorProps<TextDraft>) {
  const t = useTexts(examplesTexts);
  const { messages } = draft;
  const change = (next: MessageDraft[]) => onChange({ ...draft, messages: next });
  const add = () => change([...messages, emptyMessage(messages.at(-1)?.role === 'user' ? 'assistant' : 'user')]);
  return (
    <>
      <ol className={styles.messages}>
        {messages.map((message, index) => (
          <Message
            key={message.key}
            message={message}
            number={index + 1}
            isOnly={messages.length === 1}
            onChange={(next) => change(messages.map((each) => (each.key === message.key ? next : each)))}
            onRemove={() => change(messages.filter((each) => each.key !== message.key))}
          />
        ))}
      </ol>
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          {t.addMessage}
        </Button>
      </Group>
      {draft.tools !== null && (
        <JsonField label={t.tools} value={draft.tools} onChange={(tools) => onChange({ ...draft, tools })} />
      )}
    </>
  );
}

type MessageProps = {
  message: MessageDraft;
  number: number;
  isOnly: boolean;
  onChange: (message: MessageDraft) => void;
  onRemove: () => void;
};

function Message({ message, number, isOnly, onChange, onRemove }: MessageProps) {
  const t = useTexts(examplesTexts);
  const { role, content, reasoning, toolCalls, toolCallId } = message;
  return (
    <li className={styles.message} data-role={role}>
      <div className={styles.who}>
        <NativeSelect
          size="xs"
          aria-label={t.role(number)}
          value={role}
          data={roles.map((value) => ({ value, label: t.roles[value] }))}
          onChange={({ currentTarget: { value } }) => {
            const next = roles.find((each) => each === value) ?? role;
            onChange({ ...message, role: next, toolCallId: next === 'tool' ? (toolCallId ?? '') : null });
          }}
        />
        <ActionIcon size="md" aria-label={t.removeMessage(number)} disabled={isOnly} onClick={onRemove}>
          <IconTrash size={16} />
        </ActionIcon>
      </div>
      <div className={styles.fields}>
        <GrowingTextarea
          aria-label={t.content(t.roles[role], number)}
          data-autofocus={number === 1 || undefined}
          minRows={2}
          maxRows={16}
          value={content}
          onChange={(event) => onChange({ ...message, content: event.currentTarget.value })}
        />
        {reasoning !== null && (
          <GrowingTextarea
            label={t.reasoning}
            aria-label={t.reasoningOf(number)}
            maxRows={10}
            value={reasoning}
            onChange={(event) => onChange({ ...message, reasoning: event.currentTarget.value })}
          />
        )}
        {toolCalls !== null && (
          <JsonField
            label={t.toolCalls}
            value={toolCalls}
            onChange={(text) => onChange({ ...message, toolCalls: text })}
          />
        )}
        {toolCallId !== null && (
          <TextInput
            label={t.toolCallId}
            value={toolCallId}
            onChange={(event) => onChange({ ...message, toolCallId: event.currentTarget.value })}
          />
        )}
      </div>
    </li>
  );
}

function JsonField({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const t = useTexts(examplesTexts);
  return (
    <GrowingTextarea
      label={label}
      minRows={2}
      maxRows={14}
      spellCheck={false}
      classNames={{ input: styles.code ?? '' }}
      error={value.trim() !== '' && listIn(value) === null ? t.badJson : null}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
