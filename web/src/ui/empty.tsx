import type { ReactNode } from 'react';
import styles from './empty.module.css';
import type { Icon } from './icons.tsx';

type EmptyProps = {
  icon: Icon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
};

/** An empty state: what would be here, and how to add it. */
export function Empty({ icon: Sign, title, children, action }: EmptyProps) {
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
