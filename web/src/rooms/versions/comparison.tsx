import { ActionIcon, NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconX } from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { Toolbar } from '../../ui/toolbar.tsx';
import { useList } from '../../ui/use-list.ts';
import { useVersionOption, versionName, versionQuery, versionsQuery } from '../data/index.ts';
import { ChangeView } from './change-view.tsx';
import styles from './comparison.module.css';
import { changeKinds, changesQuery, type VersionPair, type VersionsSearch } from './versions-queries.ts';
import { versionsTexts } from './versions-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/versions');

export function VersionComparison({ version }: { version: string }) {
  const t = useTexts(versionsTexts);
  const at = route.useParams();
  const { since, change } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: compared } = useSuspenseQuery(versionQuery(at, version));
  const go = (next: VersionsSearch) => void navigate({ search: (now) => ({ ...now, ...next }), replace: true });
  const shown = useDeferredValue<VersionPair>({ version, since, change });
  const close = (
    <ActionIcon aria-label={t.closeComparison} onClick={() => void navigate({ search: {} })}>
      <IconX />
    </ActionIcon>
  );
  return (
    <Panel title={t.compareTitle(versionName(compared.number))} aside={close} flush>
      <Changes shown={shown} onChange={go} />
    </Panel>
  );
}

type ChangesProps = { shown: VersionPair; onChange: (search: VersionsSearch) => void };

function Changes({ shown, onChange }: ChangesProps) {
  const t = useTexts(versionsTexts);
  const { list, rows: changes } = useList(changesQuery(route.useParams(), shown));
  const [first] = list.data.pages;
  if (!first) return null;
  const { counts, since } = first;
  const isSame = counts.added + counts.removed + counts.changed === 0;
  return (
    <>
      <Toolbar isInPanel>
        <Since shown={shown} since={since} onChange={onChange} />
        {!isSame && <Kinds shown={shown} counts={counts} onChange={onChange} />}
      </Toolbar>
      {changes.length === 0 && <p className={styles.nothing}>{isSame ? t.same : t.noneOfKind}</p>}
      <ul className={styles.changes} aria-label={t.changes}>
        {changes.map((each) => (
          <li key={each.id}>
            <ChangeView change={each} />
          </li>
        ))}
      </ul>
      <LoadMore list={list} shown={changes.length} />
    </>
  );
}

function Since({ shown, since, onChange }: ChangesProps & { since: string | null }) {
  const t = useTexts(versionsTexts);
  const { rows: versions } = useList(versionsQuery(route.useParams()));
  const versionOption = useVersionOption();
  const others = versions.filter(({ id }) => id !== shown.version);
  return (
    <div className={styles.since}>
      <span>{t.since}</span>
      <NativeSelect
        size="xs"
        aria-label={t.since}
        value={since ?? ''}
        data={[...(since === null ? [{ value: '', label: t.sinceNothing }] : []), ...others.map(versionOption)]}
        onChange={({ currentTarget: { value } }) => onChange({ since: value || undefined })}
      />
    </div>
  );
}

type Counts = { added: number; removed: number; changed: number };

function Kinds({ shown, counts, onChange }: ChangesProps & { counts: Counts }) {
  const t = useTexts(versionsTexts);
  const format = useFormat();
  const all = counts.added + counts.removed + counts.changed;
  return (
    <SegmentedControl
      size="xs"
      aria-label={t.kind}
      value={shown.change ?? ''}
      data={[
        { value: '', label: t.all(format.shortNumber(all)) },
        ...changeKinds.map((kind) => ({ value: kind, label: t.kinds[kind](format.shortNumber(counts[kind])) })),
      ]}
      onChange={(value) => onChange({ change: changeKinds.find((each) => each === value) })}
    />
  );
}
