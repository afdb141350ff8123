import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf } from './choices.ts';
import { Composer } from './composer.tsx';
import { draftOf } from './draft-names.ts';
import { MessageList } from './message-list.tsx';
import { ModelPicker } from './model-picker.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import type { PlaygroundSearch } from './playground-url.ts';
import { SettingsButton } from './settings-button.tsx';
import { searchOf, useSettingsInUrl } from './settings-url.ts';
import type { StartSettings } from './start-of-chat.tsx';
import { useChatSettings } from './use-chat-settings.ts';
import { useConversation } from './use-conversation.ts';

type SingleChatProps = {
  project: Project;
  choices: Choices;
  chatId: string | null;
  onChat: (chatId: string) => void;
  onSearch: (search: PlaygroundSearch) => void;
  start: StartSettings;
};

export function SingleChat({ project, choices, chatId, onChat, onSearch, start }: SingleChatProps) {
  const t = useTexts(playgroundTexts);
  const [settings, setSettings] = useChatSettings(project, chatId, start.settings);
  const [stored, setStored] = useState(start.stored);
  const model = chatId === null || settings.model !== stored.model ? settings.model : undefined;
  useSettingsInUrl({ ...searchOf(settings, stored), model }, onSearch);
  const choice = choiceOf(choices, settings.model);
  const path = { owner: project.owner.slug, project: project.slug };
  const conversation = useConversation({ path, chatId, onChat, onStored: setStored });
  return (
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
        onSend={(text, images) => conversation.send(settings, text, images)}
        hasVision={choice.base.inference.capabilities.vision}
        hasImages={conversation.hasImages}
        onStop={() => void conversation.stop()}
      >
        <ModelPicker
          choices={choices}
          model={settings.model}
          onChange={(model) => setSettings({ ...settings, model })}
          label={t.model}
        />
        <SettingsButton choice={choice} settings={settings} onChange={setSettings} />
      </Composer>
    </div>
  );
}
