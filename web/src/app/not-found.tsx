import { useTexts } from '../i18n/catalogue.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { Page } from '../ui/page.tsx';
import styles from './alone.module.css';
import { appTexts } from './app-texts.ts';

/** Unknown addresses, and resources that do not exist for this account. */
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
