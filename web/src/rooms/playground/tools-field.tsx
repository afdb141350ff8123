import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { isRead, JsonField } from './setting-fields.tsx';
import { settingsTexts } from './settings-texts.ts';
import { readObject, readTools, type Tool } from './tools.ts';

type ToolsFieldProps = { start: Tool[] | null; onChange: (tools: Tool[] | null) => void };

/** Tools as JSON, and a form that adds one. */
export function ToolsField({ start, onChange }: ToolsFieldProps) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(settingsTexts);
  const [text, setText] = useState(start === null ? '' : JSON.stringify(start, null, 2));
  const [isAdding, setAdding] = useState(false);
  const isWrong = !isRead(() => readTools(text));
  const change = (typed: string) => {
    setText(typed);
    isRead(() => onChange(readTools(typed)));
  };
  const tools = isWrong ? [] : (readTools(text) ?? []);
  return (
    <Stack gap="xs">
      <JsonField
        label={t.tools}
        description={t.toolsHint}
        text={text}
        error={isWrong && t.toolsWrong}
        onChange={change}
      />
      {isAdding ? (
        <ToolForm
          taken={tools.map((tool) => tool.function.name)}
          onClose={() => setAdding(false)}
          onAdd={(tool) => {
            change(JSON.stringify([...tools, tool], null, 2));
            setAdding(false);
          }}
        />
      ) : (
        <Group>
          <Button variant="default" size="xs" disabled={isWrong} onClick={() => setAdding(true)}>
            {own.addTool}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const example = {
  name: 'get_weather',
  description: 'Get the weather of a city.',
  parameters: JSON.stringify({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, null, 2),
};
const noTool = { name: '', description: '', parameters: '' };

type ToolFormProps = { taken: readonly string[]; onAdd: (tool: Tool) => void; onClose: () => void };

function ToolForm({ taken, onAdd, onClose }: ToolFormProps) {
  const t = useTexts(settingsTexts);
  const { cancel } = useTexts(sharedTexts);
  const [{ name, description, parameters }, setTool] = useState(noTool);
  const change = (part: Partial<typeof noTool>) => setTool((now) => ({ ...now, ...part }));
  const isNameRight = /^[\w-]{1,64}$/.test(name) && !taken.includes(name);
  const areParametersRight = parameters.trim() === '' || isRead(() => readObject(parameters));
  const add = () =>
    onAdd({
      type: 'function',
      function: {
        name,
        ...(description.trim() === '' ? {} : { description }),
        ...(parameters.trim() === '' ? {} : { parameters: readObject(parameters) }),
      },
    });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend of its own
    <div className={styles.toolForm} role="group" aria-label={t.addTool}>
      <TextInput
        label={t.toolName}
        value={name}
        error={name !== '' && !isNameRight && t.toolNameWrong}
        onChange={(event) => change({ name: event.currentTarget.value })}
        autoFocus
      />
      <TextInput
        label={t.toolDescription}
        description={t.toolDescriptionHint}
        value={description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <JsonField
        label={t.toolParameters}
        description={t.toolParametersHint}
        text={parameters}
        error={!areParametersRight && t.schemaWrong}
        onChange={(text) => change({ parameters: text })}
      />
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => setTool(example)}>
          {t.example}
        </Button>
        <Button variant="default" size="xs" onClick={onClose}>
          {cancel}
        </Button>
        <Button size="xs" disabled={!isNameRight || !areParametersRight} onClick={add}>
          {t.addTool}
        </Button>
      </Group>
    </div>
  );
}
