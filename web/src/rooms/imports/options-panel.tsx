import { NumberInput, Stack, Switch } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import type { Options } from './imports-queries.ts';
import { importsTexts } from './imports-texts.ts';

const pauseMs = 400;

export type OptionsPanelProps = { options: Options; onChange: (options: Options) => void };

export function OptionsPanel({ options, onChange }: OptionsPanelProps) {
  const t = useTexts(importsTexts);
  return (
    <Panel title={t.options}>
      <Stack gap="md">
        <Switch
          label={t.skipInvalid}
          description={t.skipInvalidHint}
          checked={options.on_invalid === 'skip'}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...options, on_invalid: checked ? 'skip' : 'reject' })
          }
        />
        <Switch
          label={t.dropDuplicates}
          checked={options.dedupe === 'exact'}
          onChange={({ currentTarget: { checked } }) => onChange({ ...options, dedupe: checked ? 'exact' : 'none' })}
        />
        <TestShare share={options.test_ratio} onChange={(share) => onChange({ ...options, test_ratio: share })} />
      </Stack>
    </Panel>
  );
}

/** Told when one has stopped typing: each change is a preview. */
function TestShare({ share, onChange }: { share: number; onChange: (share: number) => void }) {
  const t = useTexts(importsTexts);
  const [percent, setPercent] = useState<number | string>(Math.round(share * 100));
  const tell = useEffectEvent((value: number) => {
    if (Math.round(share * 100) !== value) onChange(value / 100);
  });
  useEffect(() => {
    if (typeof percent !== 'number') return;
    const timer = setTimeout(() => tell(Math.min(50, Math.max(0, percent))), pauseMs);
    return () => clearTimeout(timer);
  }, [percent]);
  return (
    <NumberInput
      label={t.testShare}
      description={t.testShareHint}
      maw={420}
      min={0}
      max={50}
      allowDecimal={false}
      value={percent}
      onChange={setPercent}
    />
  );
}
