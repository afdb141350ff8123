import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { BrandLogo } from '../../ui/brand.tsx';
import { useWindowTitle } from '../../ui/page.tsx';
import { Preferences } from './preferences.tsx';
import styles from './sign-in-layout.module.css';
import { signInTexts } from './sign-in-texts.ts';

/** The layout of the pages for signing in. */
export function SignInLayout({ title, children }: { title: string; children: ReactNode }) {
  const t = useTexts(signInTexts);
  useWindowTitle(title);
  return (
    <div className={styles.entry}>
      <main id="main" className={styles.card}>
        <p className={styles.brand}>
          <BrandLogo size={34} />
          Fanfold
        </p>
        <p className={styles.tagline}>{t.tagline}</p>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </main>
      <footer>
        <Preferences />
      </footer>
    </div>
  );
}
