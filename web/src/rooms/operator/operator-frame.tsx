import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { Page } from '../../ui/page.tsx';
import styles from '../../ui/tabs.module.css';
import { useScrollToActiveTab } from '../../ui/use-scroll-to-active-tab.ts';
import { operatorTabs } from './operator-tabs.ts';
import { operatorTexts } from './operator-texts.ts';

/** The layout around every page of the operator section. */
export function OperatorFrame() {
  const t = useTexts(operatorTexts);
  const tabsBox = useScrollToActiveTab();
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const tab = operatorTabs.find(({ to }) => fullPath === to);
  return (
    <Page title={t.title} tab={tab && t.tabs[tab.text]} lead={t.lead} guide={tab?.guide}>
      <nav ref={tabsBox} aria-label={t.tabsLabel} className={styles.tabs}>
        {operatorTabs.map(({ to, text }) => (
          <Link key={to} to={to}>
            {t.tabs[text]}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}
