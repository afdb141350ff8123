import { Outlet, useLocation } from '@tanstack/react-router';
import { useTexts } from '../i18n/catalogue.ts';
import { Brand } from '../ui/brand.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { appTexts } from './app-texts.ts';
import styles from './plain-frame.module.css';

/** The layout for somebody who is not signed in. */
export function PlainFrame() {
  const t = useTexts(appTexts);
  const next = useLocation({ select: ({ href }) => href });
  return (
    <>
      <header className={styles.top}>
        <Brand />
        <ButtonLink to="/sign-in" search={{ next }} variant="default" size="xs">
          {t.signIn}
        </ButtonLink>
      </header>
      <main id="main" className={styles.main}>
        <Outlet />
      </main>
    </>
  );
}
