import { ActionIcon, Button, Menu } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { copyText } from '../../ui/clipboard.ts';
import { Empty } from '../../ui/empty.tsx';
import {
  IconChartLine,
  IconCopy,
  IconDots,
  IconDownload,
  IconFileText,
  IconHistory,
  IconPlus,
} from '../../ui/icons.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Part } from '../../ui/part.tsx';
import { type Column, Rows } from '../../ui/rows.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { useList } from '../../ui/use-list.ts';
import { When } from '../../ui/when.tsx';
import styles from '../data/data.module.css';
import { useReadOnly } from '../data/use-read-only.ts';
import { Comparison } from './comparison.tsx';
import { FreezeVersion } from './freeze-version.tsx';
import { downloadAddress, type Version, versionsQuery } from './versions-queries.ts';
import { versionsTexts } from './versions-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/versions');

export function VersionsPage() {
  const t = useTexts(versionsTexts);
  const at = route.useParams();
  const { version } = route.useSearch();
  const [isFreezing, setFreezing] = useState(false);
  const freeze = !useReadOnly(at) && (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setFreezing(true)}>
      {t.freeze}
    </Button>
  );
  return (
    <>
      {version !== undefined && (
        <Part
          skeleton={
            <Panel>
              <RowsSkeleton columns={1} rows={4} />
            </Panel>
          }
        >
          <Comparison key={version} version={version} />
        </Part>
      )}
      <Panel flush title={t.list} text={t.lead} aside={freeze}>
        <Part skeleton={<RowsSkeleton columns={5} />}>
          <VersionList freeze={freeze} />
        </Part>
      </Panel>
      <FreezeVersion at={at} isOpen={isFreezing} onClose={() => setFreezing(false)} />
    </>
  );
}

function VersionList({ freeze }: { freeze: React.ReactNode }) {
  const t = useTexts(versionsTexts);
  const { list, rows: versions } = useList(versionsQuery(route.useParams()));
  const columns = useColumns();
  if (versions.length === 0)
    return (
      <Empty icon={IconHistory} title={t.emptyTitle} action={freeze}>
        {t.empty}
      </Empty>
    );
  return (
    <>
      <Rows label={t.list} columns={columns} rows={versions} idOf={({ id }) => id} />
      <LoadMore list={list} shown={versions.length} />
    </>
  );
}

function useColumns(): Column<Version>[] {
  const t = useTexts(versionsTexts);
  const format = useFormat();
  return [
    {
      key: 'version',
      label: t.version,
      isName: true,
      render: ({ number, label }) => (
        <div className={styles.name}>
          {t.number(number)}
          {label && <small>{label}</small>}
        </div>
      ),
    },
    {
      key: 'examples',
      label: t.examples,
      align: 'end',
      render: ({ example_count }) => format.number(example_count),
    },
    {
      key: 'split',
      label: t.split,
      align: 'end',
      render: ({ split_counts: { train, test } }) => `${format.number(train)} / ${format.number(test)}`,
    },
    {
      key: 'tokens',
      label: t.tokens,
      align: 'end',
      render: ({ token_stats }) => format.shortNumber(token_stats.total),
    },
    {
      key: 'source',
      label: t.source,
      render: ({ source, used_by }) => (
        <div className={styles.name}>
          {t.sources[source.kind]}
          {used_by.training_jobs > 0 && <small>{t.usedBy(format.number(used_by.training_jobs))}</small>}
        </div>
      ),
    },
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <When at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (version) => <VersionMenu version={version} />,
    },
  ];
}

function VersionMenu({ version: { id, number, sha256 } }: { version: Version }) {
  const t = useTexts(versionsTexts);
  const at = route.useParams();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label={t.more(number)}>
          <IconDots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconFileText size={16} />}
          renderRoot={(props) => (
            <Link {...props} to="/projects/$owner/$project/data/$dataset" params={at} search={{ version: id }} />
          )}
        >
          {t.show}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHistory size={16} />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/projects/$owner/$project/data/$dataset/versions"
              params={at}
              search={{ version: id }}
            />
          )}
        >
          {t.compare}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconChartLine size={16} />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/projects/$owner/$project/training-jobs/new"
              params={at}
              search={{ dataset: at.dataset, version: id }}
            />
          )}
        >
          {t.train}
        </Menu.Item>
        <Menu.Item component="a" href={downloadAddress(at, id)} download leftSection={<IconDownload size={16} />}>
          {t.download}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => void copyText(sha256)}>
          {t.copyDigest}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
