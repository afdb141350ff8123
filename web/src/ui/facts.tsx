import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** What is known of a thing, side by side; none is narrower than `least`. */
export function Facts({ least, children }: { least: string; children: ReactNode }) {
  return (
    <dl className={styles.facts} style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${least}, 1fr))` }}>
      {children}
    </dl>
  );
}

/** `more` stands below, smaller. */
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
