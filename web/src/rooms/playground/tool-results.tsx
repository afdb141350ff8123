import { Button, Group } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconSend } from '../../ui/icons.tsx';
import styles from './playground.module.css';
import type { Message } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import type { SentResult } from './send-message.ts';

type ToolResultsProps = {
  calls: NonNullable<Message['tool_calls']>;
  onSend: (results: SentResult[]) => void;
};

/** Asks for the result of each tool that an answer calls, and goes on with them. */
export function ToolResults({ calls, onSend }: ToolResultsProps) {
  const t = useTexts(playgroundTexts);
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const resultOf = (id: string) => results[id] ?? '';
  const isComplete = calls.every(({ id }) => resultOf(id).trim() !== '');
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) onSend(calls.map(({ id }) => ({ tool_call_id: id, content: resultOf(id) })));
  };
  return (
    <form className={styles.form} onSubmit={send}>
      {calls.map(({ id, function: { name } }) => (
        <GrowingTextarea
          key={id}
          label={t.resultOf(name)}
          description={t.resultHint}
          minRows={1}
          maxRows={10}
          classNames={{ input: styles.code ?? '' }}
          spellCheck={false}
          value={resultOf(id)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setResults((now) => ({ ...now, [id]: value }));
          }}
        />
      ))}
      <Group>
        <Button type="submit" size="xs" leftSection={<IconSend size={14} />} disabled={!isComplete}>
          {t.sendResults}
        </Button>
      </Group>
    </form>
  );
}

/** What a tool has given. */
export function ToolMessage({ text }: { text: string }) {
  const t = useTexts(playgroundTexts);
  return (
    <article className={styles.toolCall} aria-label={t.toolResult}>
      <strong>{t.toolResult}</strong>
      <code>{text}</code>
    </article>
  );
}
