import { ActionIcon, Code, Menu, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import {
  IconActivity,
  IconCreditCard,
  IconDots,
  IconGauge,
  IconListDetails,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { KeyCalls } from './key-calls.tsx';
import type { KeyDialogProps } from './key-dialog.ts';
import { KeyLimits } from './key-limits.tsx';
import { type Key, useDeleteKey, useSetKeyActive } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';

type Open = 'deactivate' | 'delete' | 'limits' | 'calls' | null;

export function KeyMenu({ apiKey }: { apiKey: Key }) {
  const t = useTexts(keysTexts);
  const { moreFor } = useTexts(sharedTexts);
  const [open, setOpen] = useState<Open>(null);
  const activate = useActivate(apiKey);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon aria-label={moreFor(`${apiKey.name} (${apiKey.masked_key})`)} loading={activate.isPending}>
            <IconDots />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {apiKey.active ? (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => setOpen('deactivate')}>
              {t.deactivate} …
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={activate.run}>
              {t.activate}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconGauge size={16} />} onClick={() => setOpen('limits')}>
            {t.limits}
          </Menu.Item>
          <Menu.Item leftSection={<IconCreditCard size={16} />} onClick={() => setOpen('calls')}>
            {t.calls}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconListDetails size={16} />}
            onClick={() => void navigate({ to: '/requests', search: { key_id: apiKey.id } })}
          >
            {t.requests}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconActivity size={16} />}
            onClick={() => void navigate({ to: '/activity', search: { actor_id: apiKey.id } })}
          >
            {t.did}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="rust" leftSection={<IconTrash size={16} />} onClick={() => setOpen('delete')}>
            {t.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDeactivation apiKey={apiKey} isOpen={open === 'deactivate'} onClose={close} />
      <ConfirmDeletion apiKey={apiKey} isOpen={open === 'delete'} onClose={close} />
      <KeyLimits apiKey={apiKey} isOpen={open === 'limits'} onClose={close} />
      <KeyCalls apiKey={apiKey} isOpen={open === 'calls'} onClose={close} />
    </>
  );
}

function useActivate(key: Key) {
  const t = useTexts(keysTexts);
  const { language } = useLanguage();
  const setActive = useSetKeyActive();
  const run = () =>
    setActive.mutate(
      { key, active: true },
      {
        onSuccess: () => notify({ tone: 'good', text: t.activated(key.name) }),
        onError: (error) => notifyProblem(error, language),
      },
    );
  return { run, isPending: setActive.isPending };
}

function ConfirmDeactivation({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const t = useTexts(keysTexts);
  const setActive = useSetKeyActive();
  const deactivate = () =>
    setActive.mutate(
      { key: apiKey, active: false },
      {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.deactivated(apiKey.name) });
        },
      },
    );
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={t.deactivateTitle(apiKey.name)}
      action={t.deactivate}
      isBusy={setActive.isPending}
      error={setActive.error}
      onConfirm={deactivate}
    >
      <Which apiKey={apiKey} />
      <Text>{t.deactivateText}</Text>
    </Confirm>
  );
}

function ConfirmDeletion({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const t = useTexts(keysTexts);
  const shared = useTexts(sharedTexts);
  const remove = useDeleteKey(({ name }) => {
    onClose();
    notify({ tone: 'good', text: t.deleted(name) });
  });
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={t.deleteTitle(apiKey.name)}
      action={shared.delete}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(apiKey)}
    >
      <Which apiKey={apiKey} />
      <Text>{t.deleteText}</Text>
    </Confirm>
  );
}

/** Distinguishes keys with the same name. */
function Which({ apiKey }: { apiKey: Key }) {
  return (
    <Text mb="xs">
      <Code>{apiKey.masked_key}</Code>
    </Text>
  );
}
