import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

/** Filters above a list; `isInPanel`: in the panel of the list, not above it. */
export function Toolbar({ isInPanel = false, children }: { isInPanel?: boolean; children: ReactNode }) {
  return <div className={isInPanel ? styles.inPanel : styles.toolbar}>{children}</div>;
}
