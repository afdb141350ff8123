import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { basePath } from '../../api/page-settings.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { IconBook2, IconExternalLink } from '../../ui/icons.tsx';
import type { NavItem } from '../navigation.ts';
import { useNavigation } from '../use-navigation.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './side-navigation.module.css';

const Nothing = () => null;

/** Loaded after the first view, in which its place is kept. */
const ProjectNavigation = lazy(() =>
  import('./project-navigation.tsx').then(
    (late) => ({ default: late.ProjectNavigation }),
    () => ({ default: Nothing }),
  ),
);

export function SideNavigation() {
  const t = useTexts(frameTexts);
  return (
    <div className={styles.scrolled}>
      <Suspense fallback={<div className={styles.reserved} />}>
        <ProjectNavigation />
      </Suspense>
      <nav aria-label={t.mainNavigation} className={styles.nav}>
        <ul>
          {useNavigation().map((item) => (
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
    </div>
  );
}

function NavLink({ item: { to, icon: Icon, texts } }: { item: NavItem }) {
  const { name } = useTexts(texts);
  return (
    <Link
      to={to}
      className={styles.link}
      activeOptions={{ exact: to === '/' || to === '/projects' }}
      activeProps={{ 'data-active': true }}
    >
      <Icon />
      {name}
    </Link>
  );
}

/** Served by the server, outside the app. */
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
