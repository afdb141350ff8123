import { useState } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import type { Project } from '../projects/index.ts';
import { settingsDraftOf } from './draft-names.ts';
import { saveSettings } from './saved-settings.ts';
import type { ChatSettings } from './settings.ts';

/** The settings of a conversation, which the next ones of the project begin with. */
export function useChatSettings(project: Project, chatId: string | null, start: ChatSettings) {
  const [first] = useState(start);
  const [settings, setSettings] = useDraft(settingsDraftOf(project, chatId), first);
  const change = (next: ChatSettings) => {
    setSettings(next);
    saveSettings(project, next);
  };
  return [settings, change] as const;
}
