import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { IconHistory, IconPlus } from '../../ui/icons.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { Project } from '../projects/index.ts';
import type { Choices } from './choices.ts';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import type { PlaygroundSearch } from './playground-url.ts';
import { SingleChat } from './single-chat.tsx';
import { StartOfChat } from './start-of-chat.tsx';

const History = lazy(async () => ({ default: (await import('./history.tsx')).History }));
const Compare = lazy(async () => ({ default: (await import('./compare.tsx')).Compare }));
const route = getRouteApi('/signed-in/projects/$owner/$project/playground');

export function ChatPlayground({ project, choices }: { project: Project; choices: Choices }) {
  const t = useTexts(playgroundTexts);
  const search = route.useSearch();
  const { chat: chatId = null, compare = false, model, model_b } = search;
  const navigate = route.useNavigate();
  const [place] = useState(window.location.pathname);
  const [history, setHistory] = useState<'unopened' | 'open' | 'closed'>('unopened');
  // A conversation that gets its id stays mounted; another one is mounted anew.
  const [started, setStarted] = useState<{ chat: string | null; number: number }>({ chat: null, number: 0 });
  const isSameConversation = chatId === null || chatId === started.chat;
  const choose = (next: PlaygroundSearch) => {
    setStarted(({ number }) => ({ chat: null, number: number + 1 }));
    void navigate({ search: next });
  };
  const keepInUrl = (part: PlaygroundSearch) => {
    // Another page is loading.
    if (window.location.pathname !== place) return;
    if (part.chat !== undefined) setStarted(({ number }) => ({ chat: part.chat ?? null, number }));
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true, resetScroll: false });
  };
  const start = { project, choices, chatId, search };
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
            onClick={() => choose(compare ? { compare: true, model, model_b } : {})}
          >
            {t.newChat}
          </Button>
        </Group>
      </div>
      {compare ? (
        <Suspense fallback={<TableSkeleton columns={2} rows={6} />}>
          <StartOfChat key={started.number} {...start}>
            {(settings) => (
              <Compare project={project} choices={choices} start={settings} search={search} onSearch={keepInUrl} />
            )}
          </StartOfChat>
        </Suspense>
      ) : (
        <StartOfChat key={isSameConversation ? started.number : chatId} {...start}>
          {(settings) => (
            <SingleChat
              project={project}
              choices={choices}
              chatId={chatId}
              onChat={(chat) => keepInUrl({ chat })}
              onSearch={keepInUrl}
              start={settings}
            />
          )}
        </StartOfChat>
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
