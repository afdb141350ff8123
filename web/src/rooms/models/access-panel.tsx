import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useChangeModel } from './models-changes.ts';
import type { HostedModel, ModelPath, Visibility } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';

export type AccessProps = { path: ModelPath; model: HostedModel; isOpen: boolean };

const choices = ['private', 'shared', 'public'] as const;
const isVisibility = (value: string): value is Visibility => choices.some((each) => each === value);

export function AccessPanel({ path, model, isOpen }: AccessProps) {
  const t = useTexts(modelsTexts);
  const { language } = useLanguage();
  const change = useChangeModel(path);
  // Optimistic; the server's error stays visible.
  const [selected, setSelected] = useState<Visibility | null>(null);
  const choose = (visibility: string) => {
    if (!isVisibility(visibility) || visibility === model.visibility) return;
    setSelected(visibility);
    change.mutate(
      { visibility },
      {
        onSuccess: () => notify({ tone: 'good', text: t.accessChanged }),
        onError: (error) => notifyProblem(error, language),
        onSettled: () => setSelected(null),
      },
    );
  };
  const texts = {
    private: { label: t.privateLabel, hint: t.privateHint },
    shared: { label: t.sharedLabel, hint: t.sharedHint },
    public: { label: t.publicLabel, hint: t.publicHint },
  };
  return (
    <Panel title={t.access} text={t.accessText}>
      <Radio.Group aria-label={t.access} value={selected ?? model.visibility} onChange={choose}>
        <Stack gap="sm">
          {choices.map((value) => (
            <Radio
              key={value}
              value={value}
              label={texts[value].label}
              description={texts[value].hint}
              disabled={!isOpen}
            />
          ))}
        </Stack>
      </Radio.Group>
    </Panel>
  );
}
