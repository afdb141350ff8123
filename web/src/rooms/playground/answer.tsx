import { Badge, Button } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { type Format, useFormat } from '../../i18n/format.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { CopyIcon } from '../../ui/copy-button.tsx';
import { IconCode, IconDatabase, IconPlayerPlay, IconRefresh } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import type { Project } from '../projects/index.ts';
import { AnswerText } from './answer-text.tsx';
import type { Choices } from './choices.ts';
import { CodeDialog } from './code-dialog.tsx';
import styles from './playground.module.css';
import type { Message } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import { Rating } from './rating.tsx';
import type { Timing } from './send-message.ts';

const SaveDialog = lazyComponent(() => import('./save-dialog.tsx'), 'SaveDialog');

type AnswerProps = {
  project: Project;
  choices: Choices;
  chatId: string;
  message: Message;
  /** Measured in this page, if the answer arrived here. */
  timing: Timing | undefined;
  onRetry?: (() => void) | undefined;
  /** Goes on with an answer that was stopped. */
  onContinue?: (() => void) | undefined;
};

/** A complete answer, with its cost and actions. */
export function Answer({ project, choices, chatId, message, timing, onRetry, onContinue }: AnswerProps) {
  const t = useTexts(playgroundTexts);
  const [dialog, setDialog] = useState<'code' | 'save' | null>(null);
  const [isRaw, setRaw] = useState(false);
  const { state, content, error } = message;
  const text = {
    content: content ?? '',
    reasoning: message.reasoning_content ?? '',
    toolCalls: (message.tool_calls ?? []).map((call) => call.function),
  };
  return (
    <article className={styles.answer}>
      <AnswerText text={text} isRaw={isRaw} />
      {error && <ProblemNote error={problemIn(error, message.request_id)} />}
      <Facts choices={choices} message={message} timing={timing} />
      <div className={styles.actions}>
        {state !== 'complete' && <Badge color={state === 'failed' ? 'rust' : 'amber'}>{t.states[state]}</Badge>}
        {onRetry && state !== 'streaming' && (
          <Button size="compact-sm" variant="subtle" leftSection={<IconRefresh size={14} />} onClick={onRetry}>
            {state === 'complete' ? t.regenerate : t.tryAgain}
          </Button>
        )}
        {onContinue && state === 'stopped' && (
          <Button size="compact-sm" variant="subtle" leftSection={<IconPlayerPlay size={14} />} onClick={onContinue}>
            {t.goOn}
          </Button>
        )}
        {message.request && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconCode size={14} />}
            onClick={() => setDialog('code')}
          >
            {t.asCode}
          </Button>
        )}
        {state === 'complete' && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconDatabase size={14} />}
            onClick={() => setDialog('save')}
          >
            {t.save}
          </Button>
        )}
        {text.content !== '' && (
          <Button size="compact-sm" variant="subtle" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {t.raw}
          </Button>
        )}
        {text.content !== '' && <CopyIcon text={text.content} label={t.copyAnswer} />}
        {message.finished_at !== null && (text.content !== '' || text.toolCalls.length > 0) && (
          <Rating path={{ owner: project.owner.slug, project: project.slug, chatId }} message={message} />
        )}
      </div>
      {message.request && (
        <CodeDialog
          isOpen={dialog === 'code'}
          onClose={() => setDialog(null)}
          facts={{ path: 'chat/completions', ...callOf(message.request, { project, choices }) }}
        />
      )}
      {dialog === 'save' && (
        <AsyncBoundary skeleton={null}>
          <SaveDialog project={project} chatId={chatId} message={message} onClose={() => setDialog(null)} />
        </AsyncBoundary>
      )}
    </article>
  );
}

/** A model of another project is called there. */
function callOf(request: Record<string, unknown>, { project, choices }: Pick<AnswerProps, 'project' | 'choices'>) {
  const elsewhere = choices.find(({ id }) => id === request.model)?.elsewhere;
  if (!elsewhere) return { baseUrl: project.inference_base_url, body: request };
  return { baseUrl: elsewhere.baseUrl, body: { ...request, model: elsewhere.model } };
}

const problemIn = ({ retry_after_s: retryAfterS, ...error }: NonNullable<Message['error']>, requestId: string | null) =>
  new Problem({ status: 0, ...error, retryAfterS, requestId, isCall: true });

type FactsProps = Pick<AnswerProps, 'choices' | 'message' | 'timing'>;

function Facts({ choices, message, timing }: FactsProps) {
  const t = useTexts(playgroundTexts);
  const format = useFormat();
  const facts = factsOf({ choices, message, timing }, { t: t.facts, format });
  if (facts.length === 0) return null;
  return (
    <p className={styles.facts}>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {message.finish_reason === 'length' && <strong>{t.cut}</strong>}
    </p>
  );
}

type Words = { t: (typeof playgroundTexts)['en']['facts']; format: Format };

function factsOf({ choices, message, timing }: FactsProps, { t, format }: Words): string[] {
  const { usage, request, finished_at: finishedAt, active_ms: activeMs } = message;
  if (finishedAt === null) return [];
  const hasAnswered = Boolean(message.content || message.reasoning_content || message.tool_calls);
  if (!usage && !hasAnswered) return [];
  // Where an answer ended early, nobody may have counted. No prompt is empty.
  const count = (tokens: number | undefined) => (tokens ? format.number(tokens) : '–');
  return [
    choices.find(({ id }) => id === request?.model)?.label ?? String(request?.model ?? ''),
    t.tokens(count(usage?.prompt_tokens), hasAnswered ? count(usage?.completion_tokens) : format.number(0)),
    t.cost(format.credits(message.credits)),
    ...(timing
      ? [t.first(format.duration(timing.firstMs)), t.total(format.duration(timing.totalMs))]
      : [t.active(activeMs > 0 ? format.duration(activeMs) : '–')]),
  ];
}
