import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import type { EmbeddingContent, TextContent } from './example.ts';
import styles from './example-view.module.css';
import { examplesTexts } from './examples-texts.ts';
import { answeredTool, type ToolCall, toolCallOf } from './tool-calls.ts';

/** For example, the second positive passage. */
export type TextLocation = { part: TextPart; nth: number };
type TextPart = 'query' | 'positives' | 'negatives' | TextContent['messages'][number]['role'];

type ExampleViewProps = {
  text: TextContent | null;
  embedding: EmbeddingContent | null;
  /** Renders a text differently, for example with changes highlighted. */
  show?: (text: string, location: TextLocation) => ReactNode;
};

export function ExampleView({ text, embedding, show = (words) => words }: ExampleViewProps) {
  const t = useTexts(examplesTexts);
  if (embedding)
    return (
      <dl className={styles.view}>
        <Entry name={t.query}>{show(embedding.query, { part: 'query', nth: 0 })}</Entry>
        {embedding.positives.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
          <Entry key={index} name={t.positives} tone="good">
            {show(each.text, { part: 'positives', nth: index })}
          </Entry>
        ))}
        {embedding.negatives.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
          <Entry key={index} name={t.negativesLabel} tone="bad">
            {show(each.text, { part: 'negatives', nth: index })}
          </Entry>
        ))}
      </dl>
    );
  return (
    <dl className={styles.view}>
      {text?.messages.map((message, index) => {
        const { role, content, reasoning_content, tool_calls, weight } = message;
        return (
          <Entry
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
            key={index}
            name={
              role === 'tool' ? t.toolResult(answeredTool(text, message)) : weight === 0 ? t.seenOnly : t.roles[role]
            }
            tone={role === 'assistant' && weight !== 0 ? 'good' : 'plain'}
          >
            {reasoning_content && <span className={styles.reasoning}>{reasoning_content}</span>}
            {content && show(content, { part: role, nth: countOf(text, role, index) })}
            {tool_calls?.map((call, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they stay in their places, and ids may be missing
              <Call key={at} call={toolCallOf(call)} />
            ))}
          </Entry>
        );
      })}
      {text?.tools && (
        <Entry name={t.tools}>
          <code>{JSON.stringify(text.tools, null, 2)}</code>
        </Entry>
      )}
    </dl>
  );
}

/** The number of earlier messages with the same role. */
function countOf({ messages }: TextContent, role: TextPart, before: number): number {
  return messages.slice(0, before).filter((message) => message.role === role).length;
}

function Call({ call: { name, args } }: { call: ToolCall }) {
  const t = useTexts(examplesTexts);
  return (
    <span className={styles.call}>
      <span>{t.callsTool(name)}</span>
      <code>{args}</code>
    </span>
  );
}

type EntryProps = { name: string; tone?: 'plain' | 'good' | 'bad'; children: ReactNode };

function Entry({ name, tone = 'plain', children }: EntryProps) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
