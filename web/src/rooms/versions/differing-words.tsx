import styles from './comparison.module.css';
import { wordDifferences } from './word-differences.ts';

/** Highlights the words that the other text does not have. */
export function DifferingWords({ text, other, tone }: { text: string; other: string; tone: 'before' | 'after' }) {
  const Mark = tone === 'before' ? 'del' : 'ins';
  return (
    <span className={styles.marked}>
      {wordDifferences(text, other).map(({ text, isShared }, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no name and stay in their places
        isShared ? <span key={index}>{text}</span> : <Mark key={index}>{text}</Mark>,
      )}
    </span>
  );
}
