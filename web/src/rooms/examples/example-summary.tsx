import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Example, TextContent } from './example.ts';
import styles from './example-summary.module.css';
import { examplesTexts } from './examples-texts.ts';
import { toolCallOf } from './tool-calls.ts';

type Content = Pick<Example, 'text' | 'embedding'>;
type Message = TextContent['messages'][number];

/** Limits the layout work of the browser. */
const maxChars = 400;

export function summaryOf({ text, embedding }: Content, nothing: string): string {
  const words = embedding ? embedding.query : text?.messages.find(({ role }) => role === 'user')?.content;
  return (words ?? '').trim().slice(0, 160) || nothing;
}

export function ExampleSummary({ example: { text, embedding } }: { example: Content }) {
  const t = useTexts(examplesTexts);
  const format = useFormat();
  if (embedding)
    return (
      <>
        <Line sign="?" words={embedding.query} />
        <Line sign="+" words={embedding.positives.map((each) => each.text).join(' · ')} />
        {embedding.negatives.length > 0 && (
          <Line sign="−" words={t.negatives(format.number(embedding.negatives.length))} isQuiet />
        )}
      </>
    );
  const messages = text?.messages ?? [];
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const question = messages.findLast(({ role }) => role === 'user');
  return (
    <>
      <Line sign="?" words={question?.content ?? ''} />
      <Line sign="→" words={answer ? contentOf(answer, t.callsTool) : ''} isQuiet />
    </>
  );
}

function contentOf({ content, tool_calls }: Message, calls: (name: string) => string): string {
  if (content?.trim()) return content;
  return (tool_calls ?? []).map((call) => calls(toolCallOf(call).name)).join(', ');
}

function Line({ sign, words, isQuiet = false }: { sign: string; words: string; isQuiet?: boolean }) {
  const t = useTexts(examplesTexts);
  return (
    <span className={styles.line} data-quiet={isQuiet || undefined}>
      <i aria-hidden="true">{sign}</i>
      <span>{words.trim().slice(0, maxChars) || t.nothingSaid}</span>
    </span>
  );
}
