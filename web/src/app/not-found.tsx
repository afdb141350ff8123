import { useTexts } from '../i18n/catalogue.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Page } from '../ui/page.tsx';
import styles from './alone.module.css';
import { appTexts } from './app-texts.ts';

/** For addresses that lead nowhere, and for things that are not there for this account. */
export function NotFound() {
  const t = useTexts(appTexts);
  return (
    <main className={styles.alone}>
      <Page title={t.notFoundTitle} lead={t.notFound}>
        <div>
          <ButtonLink to="/">{t.home}</ButtonLink>
        </div>
      </Page>
    </main>
  );
}
