import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** A badge for rows of which there are many: it looks like those of the library and costs next to nothing. */
export function Tag({ color, children }: { color: 'gray' | 'ink' | 'pine' | 'amber' | 'rust'; children: ReactNode }) {
  return (
    <span className={styles.tag} data-color={color}>
      {children}
    </span>
  );
}
