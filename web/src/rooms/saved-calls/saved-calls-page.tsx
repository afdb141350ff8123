import { Button, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconBookmark } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { projectQuery } from '../projects/index.ts';
import { CallDetail } from './call-detail.tsx';
import { ConvertAll } from './convert-all.tsx';
import rowStyles from './saved-calls.module.css';
import { useDeleteCalls } from './saved-calls-changes.ts';
import { type CallsSearch, type SavedCall, savedCallsQuery } from './saved-calls-queries.ts';
import { savedCallsTexts } from './saved-calls-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/saved-calls');

const rowHeight = 88;

export function SavedCallsPage() {
  const t = useTexts(savedCallsTexts);
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  // Rows stay until those of another search are loaded.
  const shown = useDeferredValue(filter);
  return (
    <>
      <Toolbar>
        <SearchField
          label={t.search}
          value={filter.q}
          onSearch={(q) => void navigate({ search: (now) => ({ ...now, q }), replace: true })}
        />
      </Toolbar>
      <Panel flush>
        <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={6} />}>
          <Calls filter={shown} />
        </AsyncBoundary>
      </Panel>
    </>
  );
}

function Calls({ filter }: { filter: CallsSearch }) {
  const t = useTexts(savedCallsTexts);
  const format = useFormat();
  const at = route.useParams();
  const { list, rows: calls, total, readOn } = useList(savedCallsQuery(at, filter));
  const [openId, setOpenId] = useState(filter.id ?? null);
  if (calls.length === 0) return <Nothing filter={filter} />;
  const close = () => setOpenId(null);
  return (
    <>
      <div className={styles.listHead}>
        <span>{t.count(format.number(total))}</span>
        <span className={rowStyles.all}>
          <ConvertAll at={at} filter={filter} />
          <DeleteAll filter={filter} total={total} />
        </span>
      </div>
      <VirtualList
        label={t.title}
        rows={calls}
        total={total}
        idOf={({ id }) => id}
        estimate={rowHeight}
        onNearEnd={readOn}
        render={(saved) => <Row saved={saved} onOpen={setOpenId} />}
      />
      <LoadMore list={list} shown={calls.length} />
      <Dialog opened={openId !== null} onClose={close} title={t.detailTitle} size="xl">
        {openId && (
          <AsyncBoundary skeleton={<TableSkeleton columns={1} />}>
            <CallDetail at={at} id={openId} onClose={close} />
          </AsyncBoundary>
        )}
      </Dialog>
    </>
  );
}

function Row({ saved, onOpen }: { saved: SavedCall; onOpen: (id: string) => void }) {
  const t = useTexts(savedCallsTexts);
  const format = useFormat();
  const { id, prompt_preview: prompt, answer_preview: answer, model_requested: model, usage, created_at } = saved;
  return (
    <button type="button" data-row-target className={rowStyles.row} onClick={() => onOpen(id)}>
      <strong>{prompt}</strong>
      <span className={rowStyles.answer}>{answer}</span>
      <span className={rowStyles.facts}>
        <span>{model}</span>
        <span>{t.tokens(format.number(usage.total_tokens))}</span>
        {saved.key && <span>{saved.key.name}</span>}
        <RelativeTime at={created_at} />
      </span>
    </button>
  );
}

function DeleteAll({ filter, total }: { filter: CallsSearch; total: number }) {
  const t = useTexts(savedCallsTexts);
  const shared = useTexts(sharedTexts);
  const format = useFormat();
  const [isConfirming, setConfirming] = useState(false);
  const close = () => setConfirming(false);
  const remove = useDeleteCalls(route.useParams(), (deleted) => {
    close();
    notify({ tone: 'good', text: t.deletedMany(format.number(deleted)) });
  });
  return (
    <>
      <Button size="compact-xs" variant="subtle" color="rust" onClick={() => setConfirming(true)}>
        {filter.q || filter.model ? t.deleteFound : t.deleteAll}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={close}
        title={t.deleteTitle(format.number(total))}
        action={shared.delete}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(filter)}
      >
        <Text>{t.deleteText}</Text>
      </Confirm>
    </>
  );
}

function Nothing({ filter }: { filter: CallsSearch }) {
  const t = useTexts(savedCallsTexts);
  const navigate = route.useNavigate();
  const params = route.useParams();
  const { data: project } = useSuspenseQuery(projectQuery(params));
  if (filter.q || filter.model)
    return <NothingFound onClear={() => void navigate({ search: {}, replace: true })}>{t.noneFound}</NothingFound>;
  if (project.inference_auto_save)
    return (
      <EmptyState icon={IconBookmark} title={t.emptyTitle}>
        {t.emptyOn}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={IconBookmark}
      title={t.emptyTitle}
      action={
        <ButtonLink variant="default" to="/projects/$owner/$project/settings" params={params}>
          {t.toSettings}
        </ButtonLink>
      }
    >
      {t.emptyOff}
    </EmptyState>
  );
}
