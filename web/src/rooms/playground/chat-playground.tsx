import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useIsAfterFirstRender } from '../../ui/deferred.tsx';
import { IconHistory, IconPlus } from '../../ui/icons.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf } from './choices.ts';
import styles from './playground.module.css';
import { chatQuery } from './playground-queries.ts';
import { playgroundTexts } from './playground-texts.ts';
import { type Choice, settingsOf, startWith } from './settings.ts';
import { SingleChat } from './single-chat.tsx';

const History = lazy(async () => ({ default: (await import('./history.tsx')).History }));
const Compare = lazy(async () => ({ default: (await import('./compare.tsx')).Compare }));
const route = getRouteApi('/signed-in/projects/$owner/$project/playground');

export function ChatPlayground({ project, choices }: { project: Project; choices: Choices }) {
  const t = useTexts(playgroundTexts);
  const { chat: chatId = null, compare = false, model } = route.useSearch();
  const navigate = route.useNavigate();
  const showSettings = useIsAfterFirstRender();
  const [history, setHistory] = useState<'unopened' | 'open' | 'closed'>('unopened');
  // A conversation that gets its id stays mounted; another one is mounted anew.
  const [started, setStarted] = useState<{ chat: string | null; number: number }>({ chat: null, number: 0 });
  const isSameConversation = chatId === null || chatId === started.chat;
  const choose = (search: { chat?: string; compare?: true; model?: string | undefined }) => {
    setStarted(({ number }) => ({ chat: null, number: number + 1 }));
    void navigate({ search });
  };
  const keepAddress = (chat: string) => {
    setStarted(({ number }) => ({ chat, number }));
    void navigate({ search: { chat }, replace: true });
  };
  return (
    <div className={styles.room}>
      <div className={styles.bar}>
        <SegmentedControl
          size="sm"
          aria-label={t.mode}
          value={compare ? 'two' : 'one'}
          onChange={(mode) => choose(mode === 'two' ? { compare: true, model } : { model })}
          data={[
            { value: 'one', label: t.single },
            { value: 'two', label: t.comparing },
          ]}
        />
        <Group gap="xs">
          <Button variant="default" leftSection={<IconHistory size={16} />} onClick={() => setHistory('open')}>
            {t.history}
          </Button>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => choose(compare ? { compare: true, model } : { model })}
          >
            {t.newChat}
          </Button>
        </Group>
      </div>
      {compare ? (
        <Suspense fallback={<TableSkeleton columns={2} rows={6} />}>
          <Compare key={started.number} project={project} choices={choices} first={choiceOf(choices, model ?? '')} />
        </Suspense>
      ) : (
        <One
          key={isSameConversation ? started.number : chatId}
          project={project}
          choices={choices}
          chatId={chatId}
          first={choiceOf(choices, model ?? '')}
          onChat={keepAddress}
          showSettings={showSettings}
        />
      )}
      {history !== 'unopened' && (
        <Suspense>
          <History
            path={{ owner: project.owner.slug, project: project.slug }}
            isOpen={history === 'open'}
            onClose={() => setHistory('closed')}
            current={chatId}
            onChoose={(chat) => choose(chat === null ? {} : { chat })}
          />
        </Suspense>
      )}
    </div>
  );
}

type OneProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  first: Choice;
  onChat: (chat: string) => void;
  showSettings: boolean;
};

/** The settings of the conversation, or the defaults of the model. */
function One({ project, choices, chatId, first, onChat, showSettings }: OneProps) {
  const [wasNew] = useState(chatId === null);
  const path = { owner: project.owner.slug, project: project.slug, chatId: chatId ?? '' };
  const chat = useQuery({ ...chatQuery(path), enabled: !wasNew });
  const start = startWith(first);
  if (wasNew)
    return (
      <SingleChat
        project={project}
        choices={choices}
        chatId={chatId}
        onChat={onChat}
        showSettings={showSettings}
        start={start}
      />
    );
  if (chat.error) return <ProblemNote error={chat.error} onRetry={() => void chat.refetch()} />;
  if (!chat.data) return <TableSkeleton columns={2} rows={6} />;
  return (
    <SingleChat
      project={project}
      choices={choices}
      chatId={chatId}
      onChat={onChat}
      showSettings={showSettings}
      start={settingsOf(chat.data, start)}
    />
  );
}
