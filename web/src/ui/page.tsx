import { type ReactNode, useEffect, useState } from 'react';
import styles from './page.module.css';
import { InnerTitles, PageTitle } from './page-title.tsx';

type PageProps = {
  title: string;
  /** Which of its pages this is, where it has several: read out and in the window before the title. */
  place?: string | undefined;
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
export function Page({ title, place, above, badges, lead, actions, children }: PageProps) {
  const [inner, setInner] = useState<Readonly<Record<number, string>>>({});
  useWindowTitle([inner[3], inner[2], place, title].filter(Boolean).join(' · '));
  return (
    <div className={styles.page}>
      {above}
      <header className={styles.head}>
        <div className={styles.words}>
          <div className={styles.title}>
            <PageTitle order={1} place={place}>
              {title}
            </PageTitle>
            {badges && <div className={styles.badges}>{badges}</div>}
          </div>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      <InnerTitles value={setInner}>{children}</InnerTitles>
    </div>
  );
}

export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Fanfold`;
  }, [title]);
}
