import type { ReactNode } from 'react';
import styles from './description-list.module.css';

/** A definition list in columns of at least `least`. */
export function DescriptionList({ least, children }: { least: string; children: ReactNode }) {
  return (
    <dl className={styles.facts} style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${least}, 1fr))` }}>
      {children}
    </dl>
  );
}

/** `more` is a second, smaller line. */
export function Description({ name, more, children }: { name: string; more?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {more && <span className={styles.more}>{more}</span>}
      </dd>
    </div>
  );
}
