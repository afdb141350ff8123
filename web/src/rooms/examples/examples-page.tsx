import { Button, Group } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectFilter } from '../../ui/filters.tsx';
import { IconFileText, IconPlus, IconSearch, IconUpload } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Part } from '../../ui/part.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import styles from '../data/data.module.css';
import { datasetQuery } from '../data/datasets-queries.ts';
import { useReadOnly } from '../data/use-read-only.ts';
import { versionQuery } from '../versions/versions-queries.ts';
import { AddExample } from './add-example.tsx';
import { ExampleRow } from './example-row.tsx';
import { type ExamplesSearch, examplesQuery, origins, splits } from './examples-queries.ts';
import { examplesTexts } from './examples-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/');

/** About what a row takes that shows a question, an answer and its facts. */
const rowHeight = 92;

export function ExamplesPage() {
  const t = useTexts(examplesTexts);
  const at = route.useParams();
  const filter = route.useSearch();
  // Rows stay until those of another filter are there.
  const shown = useDeferredValue(filter);
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const [isAdding, setAdding] = useState(false);
  const isArchived = useReadOnly(at);
  const isReadOnly = isArchived || filter.version !== undefined;
  const add = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <>
      <div className={styles.head}>
        <Filters filter={filter} />
        {!isReadOnly && add}
      </div>
      {filter.version && <VersionNote version={filter.version} />}
      <Panel flush>
        <Part skeleton={<RowsSkeleton columns={1} rows={8} />}>
          <ExampleList filter={shown} isReadOnly={isReadOnly} add={add} />
        </Part>
      </Panel>
      <AddExample at={at} kind={dataset.kind} isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

function Filters({ filter }: { filter: ExamplesSearch }) {
  const t = useTexts(examplesTexts);
  const navigate = route.useNavigate();
  const change = (next: ExamplesSearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  const { q, split, origin, valid, version } = filter;
  return (
    <Toolbar>
      <SearchField label={t.search} value={q} onSearch={(text) => change({ q: text })} />
      <SelectFilter
        label={t.split}
        all={t.allSplits}
        values={splits}
        names={t.splits}
        value={split}
        onChange={(value) => change({ split: value })}
      />
      <SelectFilter
        label={t.origin}
        all={t.allOrigins}
        values={origins}
        names={t.origins}
        value={origin}
        onChange={(value) => change({ origin: value })}
      />
      {/* A version has usable ones only. */}
      {version === undefined && (
        <SelectFilter
          label={t.validity}
          all={t.allValid}
          values={['true', 'false']}
          names={{ true: t.onlyValid, false: t.onlyInvalid }}
          value={valid === undefined ? undefined : valid ? 'true' : 'false'}
          onChange={(value) => change({ valid: value && value === 'true' })}
        />
      )}
    </Toolbar>
  );
}

/** Which frozen state is shown, and the way back to the present one. */
function VersionNote({ version }: { version: string }) {
  const t = useTexts(examplesTexts);
  const { data } = useQuery(versionQuery(route.useParams(), version));
  const navigate = route.useNavigate();
  const leave = () => void navigate({ search: (now) => ({ ...now, version: undefined }) });
  return (
    <Group gap="sm">
      <strong>{data ? t.ofVersion(data.number) : t.ofSomeVersion}</strong>
      <Button size="xs" variant="default" onClick={leave}>
        {t.leaveVersion}
      </Button>
    </Group>
  );
}

type ExampleListProps = { filter: ExamplesSearch; isReadOnly: boolean; add: ReactNode };

function ExampleList({ filter, isReadOnly, add }: ExampleListProps) {
  const t = useTexts(examplesTexts);
  const { owner, project, dataset } = route.useParams();
  // The same one each time, so that rows that have not changed are not drawn anew.
  const at = useMemo(() => ({ owner, project, dataset }), [owner, project, dataset]);
  const { list, rows: examples, total, readOn } = useList(examplesQuery(at, filter));
  const [openId, setOpenId] = useState<string | null>(null);
  const toggle = useCallback((id: string) => setOpenId((now) => (now === id ? null : id)), []);
  if (examples.length === 0) return <Nothing filter={filter} isReadOnly={isReadOnly} add={add} />;
  return (
    <>
      <Count total={total} />
      <VirtualList
        label={t.list}
        rows={examples}
        total={total}
        idOf={({ id }) => id}
        estimate={rowHeight}
        keptId={openId}
        onNearEnd={readOn}
        render={(example) => (
          <ExampleRow {...{ at, example, isReadOnly }} isOpen={openId === example.id} onToggle={toggle} />
        )}
      />
      <LoadMore list={list} shown={examples.length} />
    </>
  );
}

function Count({ total }: { total: number }) {
  const t = useTexts(examplesTexts);
  const format = useFormat();
  return (
    <p className={styles.listHead}>
      <span>{t.count(format.number(total))}</span>
      <span className={styles.keys}>{t.keys}</span>
    </p>
  );
}

function Nothing({ filter, isReadOnly, add }: ExampleListProps) {
  const t = useTexts(examplesTexts);
  const { nothingFound } = useTexts(sharedTexts);
  const at = route.useParams();
  const navigate = route.useNavigate();
  const { data: dataset } = useSuspenseQuery(datasetQuery(at));
  const { version, ...narrowing } = filter;
  if (Object.values(narrowing).some((value) => value !== undefined))
    return (
      <Empty
        icon={IconSearch}
        title={nothingFound}
        action={
          <Button variant="default" onClick={() => void navigate({ search: { version } })}>
            {t.clear}
          </Button>
        }
      >
        {t.noneFound} {t.searchHint}
      </Empty>
    );
  return (
    <Empty icon={IconFileText} title={t.emptyTitle} action={!isReadOnly && <Beginnings add={add} />}>
      {dataset.kind === 'embedding' ? t.emptyEmbedding : t.emptyText}
    </Empty>
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
