import { type ReactNode, useEffect } from 'react';
import styles from './page.module.css';

export type PageProps = {
  title: string;
  /** In the window, where the title alone does not tell its pages apart. */
  windowTitle?: string | undefined;
  /** Before the title: where one is. */
  above?: ReactNode;
  /** Beside the title: what kind of thing this is. */
  badges?: ReactNode;
  /** One sentence that says what the page is for. */
  lead?: ReactNode;
  /** The main action first. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A page: its title is read out when one comes to it, and stands in the window. */
export function Page({ title, windowTitle = title, above, badges, lead, actions, children }: PageProps) {
  useWindowTitle(windowTitle);
  return (
    <div className={styles.page}>
      {above}
      <header className={styles.head}>
        <div className={styles.words}>
          <div className={styles.title}>
            <h1 tabIndex={-1}>{title}</h1>
            {badges}
          </div>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fanfold`;
  }, [title]);
}
