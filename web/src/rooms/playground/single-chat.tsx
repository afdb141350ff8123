import { useRef, useState } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { Project } from '../projects/index.ts';
import type { Choices } from './choices.ts';
import { choiceOf } from './choices.ts';
import { Composer } from './composer.tsx';
import { draftOf, systemPromptDraftOf } from './draft-names.ts';
import { focusFirstInvalid } from './focus-first-invalid.ts';
import { MessageList } from './message-list.tsx';
import styles from './playground.module.css';
import type { ChatSettings } from './settings.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { useConversation } from './use-conversation.ts';

type SingleChatProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  onChat: (chatId: string) => void;
  start: ChatSettings;
  /** Settings are rendered later: they are not visible at first. */
  showSettings: boolean;
};

export function SingleChat({ project, choices, chatId, onChat, start, showSettings }: SingleChatProps) {
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
        <MessageList
          project={project}
          choices={choices}
          chatId={chatId}
          conversation={conversation}
          settings={settings}
        />
        <Composer
          draft={draftOf(project, chatId)}
          isBusy={conversation.live !== null}
          onSend={(text) => conversation.send(settings, text)}
          onStop={() => void conversation.stop()}
        />
      </div>
      {showSettings ? (
        <SettingsPanel
          ref={panel}
          choices={choices}
          choice={choiceOf(choices, settings.model)}
          settings={settings}
          onChange={setSettings}
        />
      ) : (
        <TableSkeleton columns={1} rows={6} />
      )}
    </div>
  );
}
