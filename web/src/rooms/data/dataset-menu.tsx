import { ActionIcon, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { IconArchive, IconArchiveOff, IconDots, IconEdit } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { EditDataset } from './create-dataset.tsx';
import { type Dataset, type DatasetPath, useChangeDataset } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

type DatasetMenuProps = { at: DatasetPath; dataset: Dataset };

export function DatasetMenu({ at, dataset }: DatasetMenuProps) {
  const t = useTexts(datasetsTexts);
  const { moreFor } = useTexts(sharedTexts);
  const [open, setOpen] = useState<'edit' | 'archive' | null>(null);
  const close = () => setOpen(null);
  const unarchive = useUnarchive(at);
  const isArchived = dataset.archived_at !== null;
  return (
    <>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon aria-label={moreFor(dataset.name)} loading={unarchive.isPending}>
            <IconDots />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isArchived ? (
            <Menu.Item leftSection={<IconArchiveOff size={16} />} onClick={unarchive.run}>
              {t.unarchive}
            </Menu.Item>
          ) : (
            <>
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={() => setOpen('edit')}>
                {t.edit}
              </Menu.Item>
              <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => setOpen('archive')}>
                {t.archive}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <EditDataset at={at} dataset={dataset} isOpen={open === 'edit'} onClose={close} />
      <ConfirmArchive at={at} dataset={dataset} isOpen={open === 'archive'} onClose={close} />
    </>
  );
}

function useUnarchive(at: DatasetPath) {
  const t = useTexts(datasetsTexts);
  const { language } = useLanguage();
  const change = useChangeDataset(at, ({ name }) => notify({ tone: 'good', text: t.unarchived(name) }));
  const run = () => change.mutate({ archived: false }, { onError: (error) => notifyProblem(error, language) });
  return { run, isPending: change.isPending };
}

function ConfirmArchive({ at, dataset, ...dialog }: DatasetMenuProps & { isOpen: boolean; onClose: () => void }) {
  const t = useTexts(datasetsTexts);
  const change = useChangeDataset(at, ({ name }) => {
    dialog.onClose();
    notify({ tone: 'good', text: t.archiveDone(name) });
  });
  return (
    <Confirm
      {...dialog}
      title={t.archiveTitle(dataset.name)}
      action={t.archive.replace(/\s*…$/, '')}
      tone="plain"
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() => change.mutate({ archived: true })}
    >
      <Text>{t.archiveText}</Text>
    </Confirm>
  );
}
