import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { embeddingTexts } from './embedding-texts.ts';
import styles from './playground.module.css';

type MatrixProps = { title: string | null; texts: readonly string[]; values: readonly (readonly number[])[] };

const decimals = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A similarity matrix. Cells have numbers and colours. */
export function Matrix({ title, texts, values }: MatrixProps) {
  const t = useTexts(embeddingTexts);
  const format = useFormat();
  return (
    // biome-ignore lint/a11y/useSemanticElements: it groups no form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reached by keyboard
    <div className={styles.matrixBox} tabIndex={0} role="group" aria-label={title ?? t.matrix}>
      <table className={styles.matrix}>
        {title !== null && <caption>{title}</caption>}
        <thead>
          <tr>
            <th scope="col">{t.text}</th>
            {texts.map((text, index) => (
              <th key={text} scope="col" title={text}>
                {format.number(index + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {texts.map((text, row) => (
            <tr key={text}>
              <th scope="row" title={text}>
                <span>{format.number(row + 1)}</span> {text}
              </th>
              {(values[row] ?? []).map((value, column) => (
                <td key={texts[column]} style={{ '--share': `${Math.round(Math.max(0, value) * 100)}%` }}>
                  {decimals.format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

declare module 'react' {
  interface CSSProperties {
    '--share'?: string;
  }
}
