import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconMessageCircle } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { whenIdle } from '../../ui/when-idle.ts';
import type { Project } from '../projects/index.ts';
import { AnswerText } from './answer-text.tsx';
import type { Choices } from './choices.ts';
import type { Live } from './live-answer.ts';
import styles from './playground.module.css';
import { imageUrlsOf } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import { maxRetries } from './retry-while-loading.ts';
import type { ChatSettings } from './settings.ts';
import type { Conversation } from './use-conversation.ts';

// Loaded while the user writes.
const loadAnswer = () => import('./answer.tsx');
const loadUserMessage = () => import('./user-message.tsx');
const loadToolResults = () => import('./tool-results.tsx');
const Answer = lazy(async () => ({ default: (await loadAnswer()).Answer }));
const UserMessage = lazy(async () => ({ default: (await loadUserMessage()).UserMessage }));

function loadMessages(): void {
  for (const load of [loadAnswer, loadUserMessage]) void load().catch(() => {});
}

const ToolResults = lazy(async () => ({ default: (await loadToolResults()).ToolResults }));
const ToolMessage = lazy(async () => ({ default: (await loadToolResults()).ToolMessage }));

type MessageListProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  conversation: Conversation;
  settings: ChatSettings;
  /** Its number, if there are two. */
  label?: string;
};

/** The stored messages and the arriving answer. */
export function MessageList({ project, choices, chatId: chosen, conversation, settings, label }: MessageListProps) {
  const t = useTexts(playgroundTexts);
  const { messages, live, problem } = conversation;
  const chatId = chosen ?? '';
  const path = { owner: project.owner.slug, project: project.slug, chatId };
  const box = useStickToEnd(live);
  const [unsent, setUnsent] = useState<{ id: string; text: string } | null>(null);
  const edit = async (id: string, text: string) => {
    setUnsent(null);
    if (!(await conversation.edit(settings, id, text))) setUnsent({ id, text });
  };
  useEffect(() => whenIdle(loadMessages), []);
  if (conversation.isLoading) return <TableSkeleton columns={1} rows={4} />;
  if (conversation.loadError && messages.length === 0)
    return <ProblemNote error={conversation.loadError} onRetry={() => void conversation.refresh()} />;
  const isEmpty = messages.length === 0 && live === null && problem === null;
  const last = messages.at(-1);
  const calls = (last?.role === 'assistant' && last.finished_at !== null && last.tool_calls) || [];
  // The last answer shows its own failure.
  const isShown = last?.role === 'assistant' && last.error !== null;
  return (
    <section
      className={styles.messages}
      ref={box}
      aria-label={label ? t.conversationWith(label) : t.conversation}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
      tabIndex={0}
    >
      <div>
        {isEmpty && (
          <EmptyState icon={IconMessageCircle} title={t.begin}>
            {t.beginText}
          </EmptyState>
        )}
        <Suspense>
          {messages.map((message) =>
            message.role === 'user' ? (
              <UserMessage
                key={unsent?.id === message.id ? `${message.id} again` : message.id}
                text={message.content ?? ''}
                images={imageUrlsOf(path, message)}
                start={unsent?.id === message.id ? unsent.text : null}
                onEdit={live ? undefined : (text) => void edit(message.id, text)}
              />
            ) : message.role === 'tool' ? (
              <ToolMessage key={message.id} text={message.content ?? ''} />
            ) : (
              <Answer
                key={message.id}
                project={project}
                choices={choices}
                chatId={chatId}
                message={message}
                timing={conversation.timings[message.id]}
                onContinue={
                  live || message !== last ? undefined : () => void conversation.send(settings, t.continueMessage)
                }
                onRetry={
                  live || (message.state === 'complete' && message !== last)
                    ? undefined
                    : () => void conversation.retry(settings, message.id)
                }
              />
            ),
          )}
          {live === null && calls.length > 0 && (
            <ToolResults
              key={last?.id}
              calls={calls}
              onSend={(results) => void conversation.sendResults(settings, results)}
            />
          )}
          {live && <Arriving live={live} />}
        </Suspense>
        {problem !== null && !isShown && live === null && <ProblemNote error={problem} />}
        <p className={styles.spoken} aria-live="polite">
          {live ? t.answering : last?.role === 'assistant' && last.state === 'complete' ? t.answered : ''}
        </p>
      </div>
    </section>
  );
}

function Arriving({ live }: { live: Live }) {
  const t = useTexts(playgroundTexts);
  const format = useFormat();
  const { waiting, text, content, images, results } = live;
  return (
    <>
      {content !== null && <UserMessage text={content} images={images} />}
      {results.map((result) => (
        <ToolMessage key={result.tool_call_id} text={result.content} />
      ))}
      <article className={styles.answer} data-live>
        <AnswerText text={text} isLive />
        {waiting && (
          <p className={styles.waiting}>
            {t.waiting(format.number(waiting.secondsLeft), format.number(waiting.retry), format.number(maxRetries))}
          </p>
        )}
      </article>
    </>
  );
}

/** Shows the end, and stays there while messages arrive and are rendered, unless the reader has scrolled up. */
function useStickToEnd(live: Live | null) {
  const box = useRef<HTMLElement | null>(null);
  const isAtEnd = useRef(true);
  const isAnswering = live !== null;
  const attach = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    box.current = element;
    const note = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 60;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener('scroll', note, { passive: true });
    for (const part of [element, ...element.children]) observer.observe(part);
    return () => {
      element.removeEventListener('scroll', note);
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    if (!isAnswering || !box.current) return;
    isAtEnd.current = true;
    box.current.scrollTop = box.current.scrollHeight;
  }, [isAnswering]);
  return attach;
}
