import { Link, type LinkProps, Outlet, useMatches } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { Page } from '../../ui/page.tsx';
import styles from '../../ui/tabs.module.css';
import { useScrollToActiveTab } from '../../ui/use-scroll-to-active-tab.ts';
import { operatorTexts } from './operator-texts.ts';

type Tab = { to: NonNullable<LinkProps['to']>; text: keyof (typeof operatorTexts)['en']['tabs']; guide: string };

const tabs: readonly Tab[] = [
  { to: '/operator/models', text: 'models', guide: 'models#pull-a-model' },
  { to: '/operator/serving-routes', text: 'routes', guide: 'remote-engines' },
  { to: '/operator/people', text: 'people', guide: 'accounts#who-may-have-an-account' },
  { to: '/operator/jobs', text: 'work', guide: 'deploy#roles' },
  { to: '/operator/health', text: 'health', guide: 'operate#monitoring' },
  { to: '/operator/settings', text: 'settings', guide: 'operate#settings' },
];

/** The layout around every page of the operator section. */
export function OperatorFrame() {
  const t = useTexts(operatorTexts);
  const tabsBox = useScrollToActiveTab();
  const fullPath = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  const tab = tabs.find(({ to }) => fullPath === to);
  return (
    <Page title={t.title} tab={tab && t.tabs[tab.text]} lead={t.lead} guide={tab?.guide}>
      <nav ref={tabsBox} aria-label={t.tabsLabel} className={styles.tabs}>
        {tabs.map(({ to, text }) => (
          <Link key={to} to={to}>
            {t.tabs[text]}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}
