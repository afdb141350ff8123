import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

/** Filters above a list, or in its panel. */
export function Toolbar({ isInPanel = false, children }: { isInPanel?: boolean; children: ReactNode }) {
  return <div className={isInPanel ? styles.inPanel : styles.toolbar}>{children}</div>;
}
