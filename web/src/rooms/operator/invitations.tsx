import { Button, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Tag } from '../../ui/tag.tsx';
import { type Invitation, invitationsQuery, useDeleteInvitation } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';

const colors = { open: 'amber', used: 'pine', expired: 'gray' } as const;

export function Invitations() {
  const t = useTexts(peopleTexts);
  const { language } = useLanguage();
  const { data } = useSuspenseQuery(invitationsQuery);
  const remove = useDeleteInvitation();
  if (data.data.length === 0)
    return (
      <Text p="lg" size="sm" c="dimmed">
        {t.noInvitations}
      </Text>
    );
  const columns: Column<Invitation>[] = [
    { key: 'who', label: t.person, isName: true, render: (each) => each.account_slug ?? each.email ?? t.anybody },
    { key: 'role', label: t.role, render: ({ role }) => t.roles[role] },
    { key: 'state', label: t.state, render: ({ state }) => <Tag color={colors[state]}>{t.states[state]}</Tag> },
    { key: 'expires', label: t.expires, render: ({ expires_at }) => <RelativeTime at={expires_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: ({ id, state }) =>
        state !== 'used' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => remove.mutate(id, { onError: (error) => notifyProblem(error, language) })}
          >
            {t.takeBack}
          </Button>
        ),
    },
  ];
  return <DataTable label={t.invitations} columns={columns} rows={data.data} idOf={({ id }) => id} />;
}
