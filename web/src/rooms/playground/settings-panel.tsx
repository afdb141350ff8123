import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type Ref, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { type ChatSettings, type Choice, defaultParams, type Effort } from './settings.ts';
import { readTools } from './tools.ts';

type SettingsPanelProps = {
  choice: Choice;
  settings: ChatSettings;
  onChange: (settings: ChatSettings) => void;
  ref: Ref<HTMLDivElement>;
};

/** Settings of a chat; they begin with the defaults of the API. */
export function SettingsPanel({ choice, settings, onChange, ref }: SettingsPanelProps) {
  const t = useTexts(playgroundTexts);
  const format = useFormat();
  const [round, setRound] = useState(0);
  const { params } = settings;
  const change = (part: Partial<ChatSettings['params']>) => onChange({ ...settings, params: { ...params, ...part } });
  const reset = () => {
    onChange({ ...settings, params: defaultParams(choice.base) });
    setRound((number) => number + 1);
  };
  const { capabilities } = choice.base.inference;
  return (
    <div ref={ref} className={styles.settings}>
      <GrowingTextarea
        label={t.systemPrompt}
        description={t.systemPromptHint}
        minRows={2}
        maxRows={8}
        maxLength={8000}
        value={settings.systemPrompt}
        onChange={(event) => onChange({ ...settings, systemPrompt: event.currentTarget.value })}
      />
      <div className={styles.numbers} key={round}>
        <NumberField
          label={t.maxTokens}
          value={params.max_tokens}
          range={[1, choice.base.max_context_tokens]}
          isWhole
          onChange={(max_tokens) => change({ max_tokens })}
        />
        <NumberField
          label={t.temperature}
          value={params.temperature}
          range={[0, 2]}
          onChange={(temperature) => change({ temperature })}
        />
        <NumberField label={t.topP} value={params.top_p} range={[0, 1]} onChange={(top_p) => change({ top_p })} />
      </div>
      {capabilities.reasoning_effort.length > 0 && (
        <NativeSelect
          label={t.effort}
          value={params.reasoning_effort ?? ''}
          data={[
            { value: '', label: t.efforts.default },
            ...capabilities.reasoning_effort.map((effort) => ({ value: effort, label: t.efforts[effort] })),
          ]}
          // as: the options are these.
          onChange={(event) => change({ reasoning_effort: (event.currentTarget.value || null) as Effort | null })}
        />
      )}
      {capabilities.tools && (
        <ToolsField key={`tools ${round}`} start={params.tools} onChange={(tools) => change({ tools })} />
      )}
      <p className={styles.hint}>{t.context(format.number(choice.base.max_context_tokens))}</p>
      <Button variant="default" size="xs" onClick={reset}>
        {t.reset}
      </Button>
    </div>
  );
}

type NumberFieldProps = {
  label: string;
  value: number;
  range: readonly [number, number];
  isWhole?: boolean;
  onChange: (value: number) => void;
};

/** Invalid numbers show an error and are not applied. */
function NumberField({ label, value, range: [least, most], isWhole = false, onChange }: NumberFieldProps) {
  const t = useTexts(playgroundTexts);
  const format = useFormat();
  const [text, setText] = useState(String(value));
  const read = (typed: string): number | null => {
    const number = Number(typed);
    const isRight = typed.trim() !== '' && number >= least && number <= most && (!isWhole || Number.isInteger(number));
    return isRight ? number : null;
  };
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      value={text}
      error={read(text) === null && t.numberWrong(format.number(least), format.number(most))}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        setText(typed);
        const number = read(typed);
        if (number !== null) onChange(number);
      }}
    />
  );
}

type Tools = ChatSettings['params']['tools'];

function ToolsField({ start, onChange }: { start: Tools; onChange: (tools: Tools) => void }) {
  const t = useTexts(playgroundTexts);
  const [text, setText] = useState(start === null ? '' : JSON.stringify(start, null, 2));
  const [isWrong, setWrong] = useState(false);
  const change = (typed: string) => {
    setText(typed);
    try {
      onChange(readTools(typed));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <GrowingTextarea
      label={t.tools}
      description={t.toolsHint}
      minRows={2}
      maxRows={12}
      value={text}
      error={isWrong && t.toolsWrong}
      classNames={{ input: styles.code ?? '' }}
      spellCheck={false}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
