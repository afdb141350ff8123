import { Anchor, Button } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconListDetails } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { useList } from '../../ui/use-list.ts';
import { RequestState } from './request-state.tsx';
import styles from './requests.module.css';
import { type RequestRecord, requestsQuery } from './requests-queries.ts';
import { operations, type RequestsSearch } from './requests-search.ts';
import { requestsTexts } from './requests-texts.ts';

type RequestRowsProps = {
  filter: RequestsSearch;
  isFiltered: boolean;
  isLive: boolean;
  onOpen: (id: string) => void;
  onClear: () => void;
};

const livePauseMs = 2_000;

export function RequestRows({ filter, isFiltered, isLive, onOpen, onClear }: RequestRowsProps) {
  const t = useTexts(requestsTexts);
  const { list, rows } = useList({ ...requestsQuery(filter), refetchInterval: isLive && livePauseMs });
  const columns = useColumns(onOpen);
  if (rows.length > 0)
    return (
      <>
        <DataTable label={t.list} columns={columns} rows={rows} idOf={({ id }) => id} />
        <LoadMore list={list} shown={rows.length} />
      </>
    );
  // A page looks at a bounded number of calls: the next one may have some.
  if (list.hasNextPage) return <LoadMore list={list} shown={0} />;
  return (
    <EmptyState
      icon={IconListDetails}
      title={isFiltered ? t.noneTitle : t.emptyTitle}
      action={
        isFiltered && (
          <Button variant="default" onClick={onClear}>
            {t.clear}
          </Button>
        )
      }
    >
      {isFiltered ? t.none : t.empty}
    </EmptyState>
  );
}

export function useOperationName(): (route: string | null) => string {
  const t = useTexts(requestsTexts);
  return (route) => {
    const known = operations.find((each) => each === route);
    return known ? t.operations[known] : (route ?? '–');
  };
}

function useColumns(onOpen: (id: string) => void): Column<RequestRecord>[] {
  const t = useTexts(requestsTexts);
  const format = useFormat();
  const operationName = useOperationName();
  const duration = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return [
    { key: 'model', label: t.model, isName: true, render: (row) => <Name row={row} onOpen={onOpen} /> },
    { key: 'state', label: t.state, render: (row) => <RequestState request={row} /> },
    { key: 'time', label: t.time, render: ({ created_at }) => <RelativeTime at={created_at} /> },
    { key: 'protocol', label: t.protocol, isSpare: true, render: ({ route }) => operationName(route) },
    { key: 'key', label: t.key, isSpare: true, render: ({ key }) => key?.name ?? t.signedIn },
    {
      key: 'tokens',
      label: t.tokens,
      align: 'end',
      render: ({ prompt_tokens: prompt, completion_tokens: completion }) =>
        prompt === null ? '–' : `${format.shortNumber(prompt)} → ${format.shortNumber(completion ?? 0)}`,
    },
    {
      key: 'first',
      label: t.firstToken,
      isSpare: true,
      align: 'end',
      render: ({ first_token_ms }) => duration(first_token_ms),
    },
    { key: 'total', label: t.total, align: 'end', render: ({ total_ms }) => duration(total_ms) },
    { key: 'credits', label: t.credits, align: 'end', render: ({ credits }) => format.exactCredits(credits) },
  ];
}

function Name({ row, onOpen }: { row: RequestRecord; onOpen: (id: string) => void }) {
  const t = useTexts(requestsTexts);
  const { id, model, project, error_message: message } = row;
  return (
    <>
      <Anchor
        href={`?id=${id}`}
        underline="always"
        inherit
        onClick={(event) => {
          event.preventDefault();
          onOpen(id);
        }}
      >
        {model ?? t.noModel}
      </Anchor>
      <span className={styles.second}>{message ?? (project && `${project.owner}/${project.slug}`)}</span>
    </>
  );
}
