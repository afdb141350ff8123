import { Badge } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import styles from './indexes.module.css';
import type { Mined } from './indexes-changes.ts';
import { indexesTexts } from './indexes-texts.ts';

export function MiningPreview({ mined: { results, credits } }: { mined: Mined }) {
  const t = useTexts(indexesTexts);
  const format = useFormat();
  if (results.length === 0) return <p className={styles.quiet}>{t.noExamples}</p>;
  return (
    <section className={styles.preview} aria-label={t.previewed}>
      <h3>{t.previewed}</h3>
      <ul>
        {results.map(({ example_id, status, negatives, too_similar }) => (
          <li key={example_id}>
            <Badge color={status === 'mined' ? 'pine' : 'gray'}>{t.statuses[status]}</Badge>
            {too_similar > 0 && <small> {t.tooSimilar(format.number(too_similar))}</small>}
            {negatives.map(({ text, rank }) => (
              <p key={rank}>
                {text} <small>{t.place(format.number(rank))}</small>
              </p>
            ))}
          </li>
        ))}
      </ul>
      <p className={styles.quiet}>{t.cost(format.credits(credits))}</p>
    </section>
  );
}
