import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import styles from '../../ui/list-page.module.css';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Version, versionName } from '../data/index.ts';
import { VersionMenu } from './version-menu.tsx';
import { versionsTexts } from './versions-texts.ts';

export function useVersionColumns(): Column<Version>[] {
  const t = useTexts(versionsTexts);
  const format = useFormat();
  return [
    {
      key: 'version',
      label: t.version,
      isName: true,
      render: ({ number, label }) => (
        <div className={styles.name}>
          {versionName(number)}
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
    { key: 'created', label: t.created, align: 'end', render: ({ created_at }) => <RelativeTime at={created_at} /> },
    {
      key: 'actions',
      label: t.actions,
      isLabelHidden: true,
      align: 'end',
      render: (version) => <VersionMenu version={version} />,
    },
  ];
}
