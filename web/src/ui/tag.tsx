import type { ReactNode } from 'react';
import styles from './tag.module.css';

/** Looks like a badge of the library, but is cheap enough for long lists. */
export function Tag({ color, children }: { color: 'gray' | 'ink' | 'pine' | 'amber' | 'rust'; children: ReactNode }) {
  return (
    <span className={styles.tag} data-color={color}>
      {children}
    </span>
  );
}
