import { Checkbox, Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconFileText, IconUpload } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { LoadMore } from '../../ui/load-more.tsx';
import { NothingFound } from '../../ui/nothing-found.tsx';
import { useList } from '../../ui/use-list.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { datasetQuery } from '../data/index.ts';
import { BulkBar } from './bulk-bar.tsx';
import { bulkTexts } from './bulk-texts.ts';
import rowStyles from './example-row.module.css';
import { ExampleRow } from './example-row.tsx';
import { type ExamplesSearch, examplesQuery } from './examples-queries.ts';
import { examplesTexts } from './examples-texts.ts';
import { useSelection } from './use-selection.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/');

/** Estimated height of a row. */
const rowHeight = 92;

/** Of a list for screen readers (`aria-setsize`). */
const unknownSize = -1;

type ExampleListProps = { filter: ExamplesSearch; isReadOnly: boolean; add: ReactNode };

export function ExampleList({ filter, isReadOnly, add }: ExampleListProps) {
  const t = useTexts(examplesTexts);
  const format = useFormat();
  const { owner, project, dataset } = route.useParams();
  // Stable, so that unchanged rows do not render again.
  const at = useMemo(() => ({ owner, project, dataset }), [owner, project, dataset]);
  const { list, rows: examples, total, readOn } = useList(examplesQuery(at, filter));
  const [openId, setOpenId] = useState<string | null>(null);
  const toggle = useCallback((id: string) => setOpenId((now) => (now === id ? null : id)), []);
  const isExact = list.data.pages.at(-1)?.total_count_is_exact ?? true;
  const order = useMemo(() => examples.map(({ id }) => id), [examples]);
  const selection = useSelection(filter, order);
  const { chosen } = selection;
  if (examples.length === 0)
    return (
      <>
        {!isExact && <p>{t.stillIndexed}</p>}
        <Nothing filter={filter} isReadOnly={isReadOnly} add={add} />
      </>
    );
  return (
    <>
      <Count total={total} isExact={isExact}>
        {!isReadOnly && <ChooseAll selection={selection} />}
      </Count>
      <VirtualList
        label={t.list}
        rows={examples}
        total={isExact ? total : unknownSize}
        idOf={({ id }) => id}
        estimate={rowHeight}
        pinnedId={openId}
        onNearEnd={readOn}
        render={(example) => (
          <ExampleRow
            at={at}
            example={example}
            isReadOnly={isReadOnly}
            isOpen={openId === example.id}
            onToggle={toggle}
            isChosen={selection.has(example.id)}
            onChoose={selection.toggle}
          />
        )}
      />
      <LoadMore list={list} shown={examples.length} />
      <BulkBar
        at={at}
        chosen={chosen}
        count={chosen && 'ids' in chosen ? format.number(chosen.ids.length) : countOf(format.number(total), isExact)}
        onClear={selection.clear}
      />
    </>
  );
}

const countOf = (total: string, isExact: boolean) => (isExact ? total : `${total}+`);

function ChooseAll({ selection: { chosen, isAll, setAll } }: { selection: ReturnType<typeof useSelection> }) {
  const t = useTexts(bulkTexts);
  return (
    <Checkbox
      size="xs"
      aria-label={t.chooseAll}
      title={t.chooseAll}
      checked={isAll}
      indeterminate={chosen !== null && !isAll}
      onChange={({ currentTarget: { checked } }) => setAll(checked)}
    />
  );
}

type CountProps = { total: number; isExact: boolean; children: ReactNode };

function Count({ total, isExact, children }: CountProps) {
  const t = useTexts(examplesTexts);
  const format = useFormat();
  return (
    <p className={styles.listHead}>
      <span className={rowStyles.count}>
        {children}
        {t.count(countOf(format.number(total), isExact))}
      </span>
      <span className={styles.keys}>{t.keys}</span>
    </p>
  );
}

function Nothing({ filter, isReadOnly, add }: ExampleListProps) {
  const t = useTexts(examplesTexts);
  const at = route.useParams();
  const navigate = route.useNavigate();
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const { version, ...narrowing } = filter;
  if (Object.values(narrowing).some((value) => value !== undefined))
    return (
      <NothingFound onClear={() => void navigate({ search: { version } })}>
        {t.noneFound} {t.searchHint}
      </NothingFound>
    );
  return (
    <EmptyState icon={IconFileText} title={t.emptyTitle} action={!isReadOnly && <Beginnings add={add} />}>
      {dataset.kind === 'embedding' ? t.emptyEmbedding : t.emptyText}
    </EmptyState>
  );
}

function Beginnings({ add }: { add: ReactNode }) {
  const t = useTexts(examplesTexts);
  const at = route.useParams();
  return (
    <Group gap="xs" justify="center">
      <ButtonLink
        size="xs"
        to="/projects/$owner/$project/data/imports/$import"
        params={{ ...at, import: 'new' }}
        search={{ dataset: at.dataset }}
        leftSection={<IconUpload size={14} />}
        variant="default"
      >
        {t.import}
      </ButtonLink>
      {add}
    </Group>
  );
}
