import { useRef, useState } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import type { Project } from '../projects/index.ts';
import type { Choices } from './choices.ts';
import { choiceOf } from './choices.ts';
import { Composer } from './composer.tsx';
import { draftOf, systemPromptDraftOf } from './draft-of.ts';
import { focusFirstInvalid } from './focus-first-invalid.ts';
import { MessageList } from './message-list.tsx';
import styles from './playground.module.css';
import type { ChatSettings } from './settings.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { useConversation } from './use-conversation.ts';

type TalkProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  onChat: (chatId: string) => void;
  start: ChatSettings;
  /** Settings are rendered later: they are not visible at first. */
  isTime: boolean;
};

export function Talk({ project, choices, chatId, onChat, start, isTime }: TalkProps) {
  const panel = useRef<HTMLElement>(null);
  const [others, setOthers] = useState(start);
  const [systemPrompt, setSystemPrompt] = useDraft(systemPromptDraftOf(project, chatId), start.systemPrompt);
  const settings = { ...others, systemPrompt };
  const setSettings = (next: ChatSettings) => {
    setOthers(next);
    setSystemPrompt(next.systemPrompt);
  };
  const path = { owner: project.owner.slug, project: project.slug };
  const conversation = useConversation({ path, chatId, onChat, isReady: () => !focusFirstInvalid(panel.current) });
  return (
    <div className={styles.talk}>
      <div className={styles.conversation}>
        <MessageList {...{ project, choices, chatId, conversation, settings }} />
        <Composer
          draft={draftOf(project, chatId)}
          isBusy={conversation.live !== null}
          onSend={(text) => conversation.say(settings, text)}
          onStop={() => void conversation.stop()}
        />
      </div>
      {isTime ? (
        <SettingsPanel
          ref={panel}
          choices={choices}
          choice={choiceOf(choices, settings.model)}
          settings={settings}
          onChange={setSettings}
        />
      ) : (
        <RowsSkeleton columns={1} rows={6} />
      )}
    </div>
  );
}
