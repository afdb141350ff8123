import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { hyperparameterTexts } from './hyperparameter-texts.ts';
import type { HyperparameterName } from './hyperparameters.ts';
import {
  areFitting,
  isFitting,
  isNumeric,
  type MeasuringName,
  mainSettings,
  measuringRanges,
  type Range,
  type Ranges,
} from './new-job-fields.ts';
import { newJobTexts } from './new-job-texts.ts';
import { presetFields, presetOf, presets } from './presets.ts';
import styles from './training.module.css';
import type { JobForm } from './use-job-form.ts';

type SettingsProps = { form: JobForm; ranges: Ranges; lengths: readonly number[] };

/** Hints stand under the fields, so that labels and fields of a row are aligned. */
export const hintBelow = ['label', 'input', 'description', 'error'] as const;

export function Settings({ form, ranges, lengths }: SettingsProps) {
  const t = useTexts(newJobTexts);
  // as: the keys are those of the ranges.
  const entries = Object.entries(ranges) as [HyperparameterName, Range][];
  const isMain = ([name]: [HyperparameterName, Range]) => mainSettings.includes(name);
  // A field that was corrected stays in sight.
  const [isOpen, setOpen] = useState(false);
  const preset = presetOf(form.values, ranges);
  const choose = (text: string) => {
    const chosen = presets.find((each) => each === text);
    if (chosen) form.setValues(presetFields(chosen, ranges));
  };
  const field = ([name, range]: [HyperparameterName, Range]) => (
    <Setting key={name} form={form} name={name} range={range} lengths={name === 'max_seq_length' ? lengths : []} />
  );
  return (
    <Panel title={t.settings} text={preset ? t.presetTexts[preset] : t.ownSettings}>
      <SegmentedControl
        aria-label={t.preset}
        value={preset ?? ''}
        data={presets.map((each) => ({ value: each, label: t.presets[each] }))}
        onChange={choose}
      />
      <details
        className={styles.more}
        open={isOpen || !areFitting(form.values, ranges)}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary>{t.more}</summary>
        <p className={styles.note}>{t.settingsText}</p>
        <div className={styles.grid} data-folded="true">
          {entries.filter(isMain).map(field)}
          {entries.filter((entry) => !isMain(entry)).map(field)}
          <Measuring form={form} name="test_ratio" label={t.testRatio} hint={t.testRatioHint} />
          <Measuring form={form} name="every_steps" label={t.everySteps} />
          <Measuring form={form} name="early_stopping_patience" label={t.earlyStoppingPatience} />
        </div>
      </details>
    </Panel>
  );
}

type MeasuringProps = { form: JobForm; name: MeasuringName; label: string; hint?: string };

function Measuring({ form, name, label, hint }: MeasuringProps) {
  const t = useTexts(newJobTexts);
  const range = measuringRanges[name];
  const isRight = isFitting(form.values[name], range);
  return (
    <TextInput
      label={label}
      inputWrapperOrder={[...hintBelow]}
      description={hint}
      placeholder={t.automatic}
      inputMode="decimal"
      {...form.getInputProps(name)}
      error={isRight ? undefined : t.wrongNumber(String(range.min), String(range.max))}
    />
  );
}

type SettingProps = { form: JobForm; name: HyperparameterName; range: Range; lengths: readonly number[] };

function Setting({ form, name, range, lengths }: SettingProps) {
  const t = useTexts(newJobTexts);
  const { names, hints, yes, no } = useTexts(hyperparameterTexts);
  const common = {
    label: names[name],
    description: hints[name],
    inputWrapperOrder: [...hintBelow],
    ...form.getInputProps(`settings.${name}`),
  };
  const value = form.values.settings[name] ?? '';
  const fallback = range.default === null ? '–' : String(range.default);
  if (lengths.length > 0 || typeof range.default === 'boolean') {
    const options =
      lengths.length > 0
        ? lengths.map((length) => ({ value: String(length), label: String(length) }))
        : [
            { value: 'true', label: yes },
            { value: 'false', label: no },
          ];
    const byDefault = typeof range.default === 'boolean' ? (range.default ? yes : no) : fallback;
    return <NativeSelect {...common} value={value} data={[{ value: '', label: t.byDefault(byDefault) }, ...options]} />;
  }
  if (!isNumeric(range)) return <TextInput {...common} value={value} placeholder={fallback} maxLength={2_000} />;
  const [min, max] = [String(range.min ?? ''), String(range.max ?? '')];
  return (
    <TextInput
      {...common}
      value={value}
      placeholder={`${fallback} (${t.range(min, max)})`}
      inputMode="decimal"
      error={isFitting(value, range) ? undefined : t.wrongNumber(min, max)}
    />
  );
}
