import { NumberInput, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Panel } from '../../ui/panel.tsx';
import { checkTexts } from './check-texts.ts';
import type { Options } from './imports-queries.ts';

type OptionsPanelProps = { options: Options; onChange: (options: Options) => void };

export function OptionsPanel({ options, onChange }: OptionsPanelProps) {
  const t = useTexts(checkTexts);
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

function TestShare({ share, onChange }: { share: number; onChange: (share: number) => void }) {
  const t = useTexts(checkTexts);
  // While it is typed: an empty field is no number yet.
  const [percent, setPercent] = useState<number | string>(Math.round(share * 100));
  const change = (value: number | string) => {
    setPercent(value);
    if (typeof value === 'number') onChange(Math.min(50, Math.max(0, value)) / 100);
  };
  return (
    <NumberInput
      label={t.testShare}
      description={t.testShareHint}
      maw={420}
      min={0}
      max={50}
      allowDecimal={false}
      value={percent}
      onChange={change}
    />
  );
}
