import { useTexts } from '../../i18n/catalogue.ts';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf, counterpartOf } from './choices.ts';
import { Composer } from './composer.tsx';
import { draftOf } from './draft-names.ts';
import { MessageList } from './message-list.tsx';
import { ModelPicker } from './model-picker.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import type { PlaygroundSearch } from './playground-url.ts';
import type { ChatSettings } from './settings.ts';
import { SettingsButton } from './settings-button.tsx';
import { searchOf, useSettingsInUrl } from './settings-url.ts';
import type { StartSettings } from './start-of-chat.tsx';
import { useChatSettings } from './use-chat-settings.ts';
import { useConversation } from './use-conversation.ts';

type CompareProps = {
  project: Project;
  choices: Choices;
  start: StartSettings;
  search: PlaygroundSearch;
  /** Changes a part of the URL, which has both models and both conversations. */
  onSearch: (search: PlaygroundSearch) => void;
};

/** Two models side by side; each side is a conversation of its own. */
export function Compare({ project, choices, start, search, onSearch }: CompareProps) {
  const t = useTexts(playgroundTexts);
  const [settings, setSettings] = useChatSettings(project, null, start.settings);
  const modelA = search.model ?? start.settings.model;
  const modelB = search.model_b ?? counterpartOf(choices, choiceOf(choices, modelA)).id;
  useSettingsInUrl({ ...searchOf(settings, start.stored), model: modelA, model_b: modelB }, onSearch);
  const path = { owner: project.owner.slug, project: project.slug };
  const chatA = search.chat ?? null;
  const chatB = search.chat_b ?? null;
  const left = useConversation({ path, chatId: chatA, onChat: (chat) => onSearch({ chat }) });
  const right = useConversation({ path, chatId: chatB, onChat: (chat) => onSearch({ chat_b: chat }) });
  const sides = [
    {
      label: t.modelA,
      model: modelA,
      setModel: (model: string) => onSearch({ model }),
      chatId: chatA,
      conversation: left,
    },
    {
      label: t.modelB,
      model: modelB,
      setModel: (model: string) => onSearch({ model_b: model }),
      chatId: chatB,
      conversation: right,
    },
  ];
  const settingsWith = (model: string): ChatSettings => ({ ...settings, model });
  const busy = sides.filter(({ conversation }) => conversation.live !== null);
  return (
    <div className={styles.conversation}>
      <div className={styles.sides}>
        {sides.map(({ label, model, setModel, chatId, conversation }) => (
          <div key={label} className={styles.side}>
            <ModelPicker choices={choices} model={model} onChange={setModel} label={label} />
            <MessageList
              project={project}
              choices={choices}
              chatId={chatId}
              conversation={conversation}
              settings={settingsWith(model)}
              label={label}
            />
          </div>
        ))}
      </div>
      <Composer
        draft={draftOf(project, null)}
        isBusy={busy.length > 0}
        hasVision={sides.every(({ model }) => choiceOf(choices, model).base.inference.capabilities.vision)}
        hasImages={left.hasImages || right.hasImages}
        onSend={async (text, images) => {
          const stored = sides.map(({ model, conversation }) => conversation.send(settingsWith(model), text, images));
          return (await Promise.all(stored)).includes(true);
        }}
        onStop={() => {
          for (const { conversation } of busy) void conversation.stop();
        }}
      >
        <SettingsButton choice={choiceOf(choices, modelA)} settings={settings} onChange={setSettings} />
      </Composer>
    </div>
  );
}
