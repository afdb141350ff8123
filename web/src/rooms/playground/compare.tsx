import { NativeSelect } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import type { Project } from '../projects/index.ts';
import { type Choices, choiceOf, counterpartOf, groupsOf } from './choices.ts';
import { Composer } from './composer.tsx';
import { draftOf } from './draft-names.ts';
import { focusFirstInvalid } from './focus-first-invalid.ts';
import { MessageList } from './message-list.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { type ChatSettings, type Choice, startWith } from './settings.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { type Conversation, useConversation } from './use-conversation.ts';

/** Two models side by side; each side is a conversation of its own. */
export function Compare({ project, choices, first }: { project: Project; choices: Choices; first: Choice }) {
  const t = useTexts(playgroundTexts);
  const [settings, setSettings] = useState(startWith(first));
  const panel = useRef<HTMLElement>(null);
  const isReady = () => !focusFirstInvalid(panel.current);
  const left = useSide(project, first.id, isReady);
  const right = useSide(project, counterpartOf(choices, first).id, isReady);
  const sides = [
    { ...left, label: t.modelA },
    { ...right, label: t.modelB },
  ];
  const settingsOf = (model: string): ChatSettings => ({ ...settings, model });
  const busy = sides.filter(({ conversation }) => conversation.live !== null);
  return (
    <div className={styles.compare}>
      <div className={styles.sides}>
        {sides.map(({ label, model, setModel, chatId, conversation }) => (
          <div key={label} className={styles.side}>
            <NativeSelect
              label={label}
              value={model}
              data={groupsOf(choices, t)}
              onChange={(event) => setModel(event.currentTarget.value)}
            />
            <MessageList
              project={project}
              choices={choices}
              chatId={chatId}
              conversation={conversation}
              settings={settingsOf(model)}
              label={label}
            />
          </div>
        ))}
      </div>
      <Composer
        draft={draftOf(project, null)}
        isBusy={busy.length > 0}
        onSend={async (text) => {
          const stored = sides.map(({ model, conversation }) => conversation.send(settingsOf(model), text));
          return (await Promise.all(stored)).includes(true);
        }}
        onStop={() => {
          for (const { conversation } of busy) void conversation.stop();
        }}
      />
      <SettingsPanel
        ref={panel}
        choices={choices}
        choice={choiceOf(choices, left.model)}
        settings={settings}
        onChange={setSettings}
        withModel={false}
      />
    </div>
  );
}

type Side = {
  model: string;
  setModel: (model: string) => void;
  chatId: string | null;
  conversation: Conversation;
};

function useSide(project: Project, start: string, isReady: () => boolean): Side {
  const [model, setModel] = useState(start);
  const [chatId, setChatId] = useState<string | null>(null);
  const path = { owner: project.owner.slug, project: project.slug };
  return { model, setModel, chatId, conversation: useConversation({ path, chatId, onChat: setChatId, isReady }) };
}
