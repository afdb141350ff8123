import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconLayoutDashboard } from '../../ui/icons.tsx';

export const dashboardNav: NavItem = {
  to: '/',
  icon: IconLayoutDashboard,
  texts: catalogue({ nav: 'Dashboard' }, { nav: '仪表盘' }),
  shortcut: 'd',
};
