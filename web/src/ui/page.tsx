import { type ReactNode, useEffect, useState } from 'react';
import { HelpLink } from './help-link.tsx';
import styles from './page.module.css';
import { InnerTitles, PageTitle, type Titles } from './page-title.tsx';

type PageProps = {
  title: string;
  /** The name of the tab: read out, and in the window title. */
  tab?: string | undefined;
  /** Above the title. */
  above?: ReactNode;
  /** Beside the title. */
  badges?: ReactNode;
  lead?: ReactNode;
  /** The guide that helps here, with the anchor of a heading: `training#regression-check`. */
  guide?: string | undefined;
  actions?: ReactNode;
  /** It has the whole window, under a small title. */
  isFull?: boolean;
  children: ReactNode;
};

export function Page({ title, tab, above, badges, lead, guide, actions, isFull = false, children }: PageProps) {
  const [inner, setInner] = useState<Titles>({});
  useWindowTitle([inner[3]?.title, inner[2]?.title, tab, title].filter(Boolean).join(' · '));
  // The innermost page knows best.
  const helpfulGuide = inner[3]?.guide ?? inner[2]?.guide ?? guide;
  return (
    <div className={styles.page} data-full={isFull || undefined}>
      {!isFull && above}
      <header className={styles.head}>
        <div className={styles.words}>
          <div className={styles.title}>
            <PageTitle order={1} tab={tab}>
              {title}
            </PageTitle>
            {badges && <div className={styles.badges}>{badges}</div>}
            {helpfulGuide && <HelpLink guide={helpfulGuide} />}
          </div>
          {lead && !isFull && <p className={styles.lead}>{lead}</p>}
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
