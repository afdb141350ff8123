import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import type { Icon } from './icons.tsx';

type EmptyStateProps = {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
};

/** An empty state: what would be here, and how to add it. */
export function EmptyState({ icon: Sign, title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.sign}>
        <Sign size={22} />
      </span>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}
