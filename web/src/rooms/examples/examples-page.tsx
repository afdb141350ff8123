import { Button, Group } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { SelectFilter } from '../../ui/filters.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import styles from '../../ui/list-page.module.css';
import { Panel } from '../../ui/panel.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { datasetQuery, useReadOnly, versionName, versionQuery } from '../data/index.ts';
import { AddExample } from './add-example.tsx';
import { ExampleList } from './example-list.tsx';
import { type ExamplesSearch, origins, splits } from './examples-queries.ts';
import { examplesTexts } from './examples-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/');

export function ExamplesPage() {
  const t = useTexts(examplesTexts);
  const at = route.useParams();
  const filter = route.useSearch();
  // Rows stay until those of another filter are loaded.
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
        <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={8} />}>
          <ExampleList filter={shown} isReadOnly={isReadOnly} add={add} />
        </AsyncBoundary>
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
      {/* Versions have valid examples only. */}
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

function VersionNote({ version }: { version: string }) {
  const t = useTexts(examplesTexts);
  const { data } = useQuery(versionQuery(route.useParams(), version));
  const navigate = route.useNavigate();
  const leave = () => void navigate({ search: (now) => ({ ...now, version: undefined }) });
  return (
    <Group gap="sm">
      <strong>{data ? t.ofVersion(versionName(data.number)) : t.ofSomeVersion}</strong>
      <Button size="xs" variant="default" onClick={leave}>
        {t.leaveVersion}
      </Button>
    </Group>
  );
}
