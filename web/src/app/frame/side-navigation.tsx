import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { IconBook2, IconExternalLink } from '../../ui/icons.tsx';
import type { NavItem } from '../nav-item.ts';
import { basePath } from '../page-settings.ts';
import { navigation } from '../rooms.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './side-navigation.module.css';

export function SideNavigation() {
  const t = useTexts(frameTexts);
  return (
    <nav aria-label={t.mainNavigation} className={styles.nav}>
      <ul>
        {navigation.map((item) => (
          <li key={item.to}>
            <NavLink item={item} />
          </li>
        ))}
      </ul>
      <ul className={styles.outside}>
        <li>
          <ReferenceLink />
        </li>
      </ul>
    </nav>
  );
}

function NavLink({ item: { to, icon: Sign, texts } }: { item: NavItem }) {
  const { nav } = useTexts(texts);
  return (
    <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }} activeProps={{ 'data-active': true }}>
      <Sign />
      {nav}
    </Link>
  );
}

/** Pages of their own beside the app, made by the server. */
function ReferenceLink() {
  const t = useTexts(frameTexts);
  const shared = useTexts(sharedTexts);
  const { language } = useLanguage();
  return (
    <a className={styles.link} href={`${basePath()}/reference?lang=${language}`} target="_blank" rel="noreferrer">
      <IconBook2 />
      {t.reference}
      <IconExternalLink size={14} className={styles.leaves} />
      <span className="visually-hidden">{shared.opensNewTab}</span>
    </a>
  );
}
