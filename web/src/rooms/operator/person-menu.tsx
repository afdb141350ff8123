import { ActionIcon, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Confirm } from '../../ui/confirm.tsx';
import {
  IconCreditCard,
  IconDots,
  IconGauge,
  IconKey,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { type Person, useChangePerson, useDeletePerson } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';
import { GrantDialog, LimitsDialog } from './person-dialogs.tsx';

type Open = 'suspend' | 'remove' | 'operator' | 'grant' | 'limits' | null;

export function PersonMenu({ person }: { person: Person }) {
  const t = useTexts(peopleTexts);
  const { moreFor } = useTexts(sharedTexts);
  const { language } = useLanguage();
  const [open, setOpen] = useState<Open>(null);
  const change = useChangePerson();
  const remove = useDeletePerson();
  const close = () => setOpen(null);
  const { id, slug, status, role } = person;
  const run = (body: { status?: Person['status']; role?: Person['role'] }) =>
    change.mutate(
      { id, body },
      { onSuccess: close, onError: (error) => open === null && notifyProblem(error, language) },
    );
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon aria-label={moreFor(slug)} loading={change.isPending}>
            <IconDots />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCreditCard size={16} />} onClick={() => setOpen('grant')}>
            {t.grant} …
          </Menu.Item>
          <Menu.Item leftSection={<IconGauge size={16} />} onClick={() => setOpen('limits')}>
            {t.limits} …
          </Menu.Item>
          {role === 'admin' ? (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={() => run({ role: 'user' })}>
              {t.takeOperator}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setOpen('operator')}>
              {t.makeOperator} …
            </Menu.Item>
          )}
          <Menu.Divider />
          {status === 'active' ? (
            <Menu.Item color="rust" leftSection={<IconPlayerPause size={16} />} onClick={() => setOpen('suspend')}>
              {t.suspend} …
            </Menu.Item>
          ) : (
            <>
              <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => run({ status: 'active' })}>
                {t.restore}
              </Menu.Item>
              <Menu.Item color="rust" leftSection={<IconTrash size={16} />} onClick={() => setOpen('remove')}>
                {t.remove} …
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={open === 'suspend'}
        onClose={close}
        title={t.suspendTitle(slug)}
        action={t.suspend}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => run({ status: 'suspended' })}
      >
        <Text>{t.suspendText}</Text>
      </Confirm>
      <Confirm
        isOpen={open === 'remove'}
        onClose={close}
        title={t.removeTitle(slug)}
        action={t.remove}
        typed={{ label: t.removeTyped(slug), value: slug }}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(id, { onSuccess: close })}
      >
        <Text>{t.removeText}</Text>
      </Confirm>
      <Confirm
        isOpen={open === 'operator'}
        onClose={close}
        title={t.makeOperatorTitle(slug)}
        action={t.makeOperator}
        tone="plain"
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => run({ role: 'admin' })}
      >
        <Text>{t.makeOperatorText}</Text>
      </Confirm>
      <GrantDialog person={person} isOpen={open === 'grant'} onClose={close} />
      <LimitsDialog person={person} isOpen={open === 'limits'} onClose={close} />
    </>
  );
}
