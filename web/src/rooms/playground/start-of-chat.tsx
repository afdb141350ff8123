import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf, isAmong } from './choices.ts';
import { chatQuery } from './playground-queries.ts';
import type { PlaygroundSearch } from './playground-url.ts';
import { savedSettings } from './saved-settings.ts';
import { type ChatSettings, settingsOf, startWith } from './settings.ts';
import { hasSettings, withSearch } from './settings-url.ts';

export type StartSettings = {
  settings: ChatSettings;
  /** Those that the server would take if none were sent: of the conversation, or of the model. */
  stored: ChatSettings;
};

type StartOfChatProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  search: PlaygroundSearch;
  children: (start: StartSettings) => ReactNode;
};

/** Loads what a conversation begins with: its own settings, or those that were chosen last in the project. */
export function StartOfChat({ project, choices, chatId, search, children }: StartOfChatProps) {
  const [wasNew] = useState(chatId === null);
  const path = { owner: project.owner.slug, project: project.slug, chatId: chatId ?? '' };
  const chat = useQuery({ ...chatQuery(path), enabled: !wasNew });
  const [fresh] = useState(() => startOfNew(project, choices, search));
  if (wasNew) return children(fresh);
  if (chat.error) return <ProblemNote error={chat.error} onRetry={() => void chat.refetch()} />;
  if (!chat.data) return <TableSkeleton columns={2} rows={6} />;
  const stored = settingsOf(chat.data, fresh.stored);
  const { model = stored.model } = search;
  return children({ settings: { ...withSearch(stored, search), model }, stored });
}

function startOfNew(project: Project, choices: Choices, search: PlaygroundSearch): StartSettings {
  const saved = savedSettings(project);
  const model = [search.model, saved?.model].find((id) => id !== undefined && isAmong(choices, id)) ?? '';
  const stored = startWith(choiceOf(choices, model));
  const last = hasSettings(search) ? null : saved;
  const settings = { ...stored, ...last, model: stored.model, params: { ...stored.params, ...last?.params } };
  return { settings: withSearch(settings, search), stored };
}
