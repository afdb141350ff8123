import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { IconArchive } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { useArchiveAll } from './activity-queries.ts';
import { activityTexts } from './activity-texts.ts';

export function ArchiveAll() {
  const t = useTexts(activityTexts);
  const format = useFormat();
  const archive = useArchiveAll();
  /** Rows that arrive while the dialog is open are not archived. */
  const [before, setBefore] = useState<string | null>(null);
  const close = () => setBefore(null);
  const run = () => {
    if (before === null) return;
    archive.mutate(before, {
      onSuccess: ({ archived }) => {
        close();
        notify({ tone: 'good', text: t.archivedCount(format.number(archived)) });
      },
    });
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconArchive size={16} />}
        onClick={() => setBefore(new Date().toISOString())}
      >
        {t.archiveAll}
      </Button>
      <Confirm
        isOpen={before !== null}
        onClose={close}
        title={t.archiveAllTitle}
        action={t.archiveAll}
        tone="plain"
        isBusy={archive.isPending}
        error={archive.error}
        onConfirm={run}
      >
        <Text>{t.archiveAllText}</Text>
      </Confirm>
    </>
  );
}
