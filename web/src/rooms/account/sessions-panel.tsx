import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type AccountSession, sessionsQuery, useEndSession, useEndSessions } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';
import { describeBrowser } from './describe-browser.ts';

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
      <AsyncBoundary skeleton={<Skeleton height={96} radius="md" />}>
        <SessionList />
      </AsyncBoundary>
      <Group gap="xs" mt="md">
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

function SessionList() {
  const t = useTexts(accountTexts);
  const { data } = useSuspenseQuery(sessionsQuery);
  const browserOf = ({ user_agent }: AccountSession) =>
    user_agent === null ? t.unknownBrowser : describeBrowser(user_agent);
  const columns: Column<AccountSession>[] = [
    { key: 'browser', label: t.browser, isName: true, render: browserOf },
    { key: 'created', label: t.signedIn, isSpare: true, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    { key: 'used', label: t.lastUsed, render: ({ last_used_at }) => <RelativeTime at={last_used_at} /> },
    {
      key: 'end',
      label: t.endSession,
      isLabelHidden: true,
      align: 'end',
      render: (session) =>
        session.is_current ? t.thisSession : <EndSession session={session} browser={browserOf(session)} />,
    },
  ];
  return <DataTable label={t.sessions} columns={columns} rows={data.data} idOf={({ id }) => id} />;
}

function EndSession({ session, browser }: { session: AccountSession; browser: string }) {
  const t = useTexts(accountTexts);
  const { language } = useLanguage();
  const format = useFormat();
  const end = useEndSession();
  const run = () =>
    end.mutate(session.id, {
      onSuccess: () => notify({ tone: 'good', text: t.endedOne }),
      onError: (error) => notifyProblem(error, language),
    });
  return (
    <Button
      size="xs"
      variant="default"
      loading={end.isPending}
      onClick={run}
      aria-label={t.endSessionOf(browser, format.date(session.created_at))}
    >
      {t.endSession}
    </Button>
  );
}
