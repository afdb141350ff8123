import { lazy, Suspense } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import type { LiveText } from './answer-stream.ts';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { readable } from './readable-arguments.ts';

// Without the renderer the text stays as it is.
const Markdown = lazy(() =>
  import('../../ui/markdown/markdown.tsx').then(
    (module) => ({ default: module.Markdown }),
    () => ({ default: PlainText }),
  ),
);

type AnswerTextProps = {
  text: LiveText;
  isLive?: boolean;
  /** As the model wrote it. */
  isRaw?: boolean;
};

/** A partial or complete answer: reasoning, text and tool calls. */
export function AnswerText({ text, isLive = false, isRaw = false }: AnswerTextProps) {
  const t = useTexts(playgroundTexts);
  const { content, reasoning, toolCalls } = text;
  const isSilent = content === '' && toolCalls.length === 0;
  return (
    <>
      {reasoning !== '' && (
        <details className={styles.reasoning} open={isSilent}>
          <summary>{isLive && isSilent ? t.thinking : t.thought}</summary>
          <p>{reasoning}</p>
        </details>
      )}
      {content !== '' &&
        (isRaw ? (
          <PlainText text={content} />
        ) : (
          <Suspense fallback={<PlainText text={content} />}>
            <Markdown text={content} />
          </Suspense>
        ))}
      {toolCalls.map(({ name, arguments: args }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have places, and no other name while they arrive
        <div key={index} className={styles.toolCall}>
          <strong>{t.toolCall(name)}</strong>
          <code>{readable(args)}</code>
        </div>
      ))}
      {isLive && <span className={styles.cursor} aria-hidden="true" />}
    </>
  );
}

function PlainText({ text }: { text: string }) {
  return <p className={styles.content}>{text}</p>;
}
