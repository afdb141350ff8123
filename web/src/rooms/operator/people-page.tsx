import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { useList } from '../../ui/use-list.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { type Person, peopleQuery } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';
import { PersonMenu } from './person-menu.tsx';
import { SignUpPanel } from './sign-up-panel.tsx';

export function PeoplePage() {
  const t = useTexts(peopleTexts);
  const [search, setSearch] = useState<string>();
  const [isInviting, setInviting] = useState(false);
  return (
    <>
      <Panel title={t.people} flush aside={<SearchField label={t.search} value={search} onSearch={setSearch} />}>
        <AsyncBoundary key={search} skeleton={<TableSkeleton columns={5} />}>
          <People search={search} />
        </AsyncBoundary>
      </Panel>
      <Panel
        title={t.invitations}
        text={t.inviteText}
        flush
        aside={
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setInviting(true)}>
            {t.invite}
          </Button>
        }
      >
        <AsyncBoundary skeleton={<TableSkeleton columns={4} rows={2} />}>
          <Invitations />
        </AsyncBoundary>
      </Panel>
      <AsyncBoundary skeleton={<TableSkeleton columns={2} rows={2} />}>
        <SignUpPanel />
      </AsyncBoundary>
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
    </>
  );
}

function People({ search }: { search: string | undefined }) {
  const t = useTexts(peopleTexts);
  const format = useFormat();
  const { list, rows } = useList(peopleQuery(search));
  if (rows.length === 0)
    return (
      <Text p="lg" size="sm" c="dimmed">
        {t.nothing}
      </Text>
    );
  const columns: Column<Person>[] = [
    {
      key: 'person',
      label: t.person,
      isName: true,
      render: ({ display_name, slug, email }) => (
        <>
          {display_name}
          <Text size="xs" c="dimmed">
            {[slug, email].filter(Boolean).join(' · ')}
          </Text>
        </>
      ),
    },
    { key: 'role', label: t.role, render: ({ role }) => t.roles[role] },
    { key: 'state', label: t.state, render: (person) => <State person={person} /> },
    { key: 'credits', label: t.credits, align: 'end', render: ({ balance }) => format.credits(balance) },
    { key: 'created', label: t.created, isSpare: true, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (person) => <PersonMenu person={person} />,
    },
  ];
  return (
    <>
      <DataTable
        label={t.people}
        columns={columns}
        rows={rows}
        idOf={({ id }) => id}
        isDim={({ status }) => status === 'suspended'}
      />
      <LoadMore list={list} shown={rows.length} />
    </>
  );
}

function State({ person: { status, can_sign_in } }: { person: Person }) {
  const t = useTexts(peopleTexts);
  if (status === 'suspended') return <Tag color="rust">{t.suspended}</Tag>;
  return can_sign_in ? <Tag color="pine">{t.active}</Tag> : <Tag color="gray">{t.noSignIn}</Tag>;
}
