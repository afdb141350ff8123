import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** A definition list in columns of at least `least`. */
export function Facts({ least, children }: { least: string; children: ReactNode }) {
  return (
    <dl className={styles.facts} style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${least}, 1fr))` }}>
      {children}
    </dl>
  );
}

/** `more` is a second, smaller line. */
export function Fact({ name, more, children }: { name: string; more?: ReactNode; children: ReactNode }) {
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
