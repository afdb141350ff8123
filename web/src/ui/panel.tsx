import type { ReactNode } from 'react';
import { useId } from 'react';
import { PageTitle } from './page-title.tsx';
import styles from './panel.module.css';

type PanelProps = {
  title?: string;
  /** Under the title: what it is about. */
  text?: ReactNode;
  /** Beside the title. */
  aside?: ReactNode;
  /** Lists and tables reach to the edges. */
  flush?: boolean;
  /** Its title is that of the page within the page. */
  isPage?: boolean;
  tone?: 'plain' | 'danger';
  children: ReactNode;
};

/** A group of things that belong together, with a title. */
export function Panel({ title, text, aside, flush = false, isPage = false, tone = 'plain', children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles.panel} data-tone={tone} aria-labelledby={title ? id : undefined}>
      {(title || aside) && (
        <header className={styles.head}>
          <div>
            {title && !isPage && <h2 id={id}>{title}</h2>}
            {title && isPage && (
              <PageTitle order={2} id={id}>
                {title}
              </PageTitle>
            )}
            {text && <p>{text}</p>}
          </div>
          {aside}
        </header>
      )}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}
