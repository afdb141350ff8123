import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Panel } from '../../ui/panel.tsx';
import styles from './indexes.module.css';
import type { Index } from './indexes-queries.ts';
import { indexesTexts } from './indexes-texts.ts';

const names = ['recall_at_1', 'recall_at_10', 'recall_at_100', 'mrr_at_10', 'ndcg_at_10'] as const;

export function IndexQuality({ index: { metrics } }: { index: Index }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  if (metrics === null) return <Panel title={t.quality}>{t.noQuality}</Panel>;
  return (
    <Panel title={t.quality} text={t.qualityText(format.number(metrics.queries))}>
      <dl className={styles.metrics}>
        {names.map((name) => (
          <div key={name}>
            <dt>{t.metrics[name].name}</dt>
            <dd>
              {format.shortAmount(metrics[name])}
              <span className={styles.quiet}>{t.metrics[name].text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
