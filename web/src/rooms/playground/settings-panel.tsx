import { Button, NativeSelect } from '@mantine/core';
import { type Ref, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { AnswerFormatField } from './answer-format-field.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { NumberField } from './setting-fields.tsx';
import { type ChatSettings, type Choice, defaultParams, type Effort } from './settings.ts';
import { settingsTexts } from './settings-texts.ts';
import { ToolsField } from './tools-field.tsx';

type SettingsPanelProps = {
  choice: Choice;
  settings: ChatSettings;
  onChange: (settings: ChatSettings) => void;
  ref: Ref<HTMLDivElement>;
};

const mostStops = 8;

const stopsOf = (typed: string): string[] =>
  typed
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, mostStops)
    .map((line) => line.replaceAll('\\n', '\n'));

/** Settings of a chat; they begin with the defaults of the API. */
export function SettingsPanel({ choice, settings, onChange, ref }: SettingsPanelProps) {
  const t = useTexts(playgroundTexts);
  const own = useTexts(settingsTexts);
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
        <NumberField
          label={own.topK}
          value={params.top_k}
          range={[1, 1_000_000]}
          isWhole
          onChange={(top_k) => change({ top_k })}
          empty={{ text: own.modelDefault, onChange: () => change({ top_k: null }) }}
        />
        <NumberField
          label={own.seed}
          value={params.seed}
          range={[0, Number.MAX_SAFE_INTEGER]}
          isWhole
          onChange={(seed) => change({ seed })}
          empty={{ text: own.random, onChange: () => change({ seed: null }) }}
        />
        <NumberField
          label={own.presencePenalty}
          value={params.presence_penalty}
          range={[-2, 2]}
          onChange={(presence_penalty) => change({ presence_penalty })}
        />
        <NumberField
          label={own.frequencyPenalty}
          value={params.frequency_penalty}
          range={[-2, 2]}
          onChange={(frequency_penalty) => change({ frequency_penalty })}
        />
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
      <GrowingTextarea
        key={`stop ${round}`}
        label={own.stop}
        description={own.stopHint(format.number(mostStops))}
        minRows={1}
        maxRows={mostStops}
        defaultValue={params.stop.map((text) => text.replaceAll('\n', '\\n')).join('\n')}
        onChange={(event) => change({ stop: stopsOf(event.currentTarget.value) })}
      />
      <AnswerFormatField
        key={`format ${round}`}
        start={params.response_format}
        onChange={(response_format) => change({ response_format })}
      />
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
