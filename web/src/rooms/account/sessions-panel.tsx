import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useEndSessions } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';

export function SessionsPanel() {
  const t = useTexts(accountTexts);
  const format = useFormat();
  const { language } = useLanguage();
  const endOthers = useEndSessions();
  const endAll = useEndSessions();
  const [isConfirming, setConfirming] = useState(false);
  const runOthers = () =>
    endOthers.mutate(true, {
      onSuccess: ({ ended }) => notify({ tone: 'good', text: t.ended(ended, format.number(ended)) }),
      onError: (error) => notifyProblem(error, language),
    });
  return (
    <Panel title={t.sessions} text={t.sessionsText}>
      <Group gap="xs">
        <Button variant="default" loading={endOthers.isPending} onClick={runOthers}>
          {t.endOthers}
        </Button>
        <Button variant="outline" color="rust" onClick={() => setConfirming(true)}>
          {t.endAll}
        </Button>
      </Group>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.endAllTitle}
        action={t.endAll}
        isBusy={endAll.isPending}
        error={endAll.error}
        onConfirm={() => endAll.mutate(false)}
      >
        <Text>{t.endAllText}</Text>
      </Confirm>
    </Panel>
  );
}
