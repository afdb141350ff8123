import type { ReactNode } from 'react';
import { PageTitle } from './page-title.tsx';
import styles from './title-row.module.css';

export function TitleRow({ title, badge, children }: { title: string; badge: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.row}>
      <div className={styles.title}>
        <PageTitle order={2}>{title}</PageTitle>
        {badge}
      </div>
      {children}
    </div>
  );
}
