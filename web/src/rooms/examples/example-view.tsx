import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import styles from './example-view.module.css';
import type { EmbeddingContent, TextContent } from './examples-queries.ts';
import { examplesTexts } from './examples-texts.ts';

export type ExampleViewProps = {
  text: TextContent | null;
  embedding: EmbeddingContent | null;
  /** Shows a text in another way, for example with what has changed in it. */
  show?: (text: string, place: string) => ReactNode;
};

/** All of an example, to be read. */
export function ExampleView({ text, embedding, show = (words) => words }: ExampleViewProps) {
  const t = useTexts(examplesTexts);
  if (embedding)
    return (
      <dl className={styles.view}>
        <Entry name={t.query}>{show(embedding.query, 'query')}</Entry>
        {embedding.positives.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
          <Entry key={index} name={t.positives} tone="good">
            {show(each.text, `positive ${index}`)}
          </Entry>
        ))}
        {embedding.negatives.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
          <Entry key={index} name={t.negativesLabel} tone="bad">
            {show(each.text, `negative ${index}`)}
          </Entry>
        ))}
      </dl>
    );
  return (
    <dl className={styles.view}>
      {text?.messages.map(({ role, content, reasoning_content, tool_calls }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name and stay in their places
        <Entry key={index} name={t.roles[role]} tone={role === 'assistant' ? 'good' : 'plain'}>
          {reasoning_content && <span className={styles.reasoning}>{reasoning_content}</span>}
          {content && show(content, `message ${index}`)}
          {tool_calls && <code>{JSON.stringify(tool_calls, null, 2)}</code>}
        </Entry>
      ))}
      {text?.tools && (
        <Entry name={t.tools}>
          <code>{JSON.stringify(text.tools, null, 2)}</code>
        </Entry>
      )}
    </dl>
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
