import type { ReactNode } from 'react';
import { useId } from 'react';
import { PageTitle } from './page-title.tsx';
import styles from './panel.module.css';

type PanelProps = {
  title?: string;
  /** Under the title. */
  text?: ReactNode;
  /** Beside the title. */
  aside?: ReactNode;
  /** Without padding, for lists and tables. */
  flush?: boolean;
  /** Its title is the title of a nested page. */
  isPage?: boolean;
  tone?: 'plain' | 'danger';
  children: ReactNode;
};

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
