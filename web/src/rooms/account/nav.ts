import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconSettings } from '../../ui/icons.tsx';

export const accountNav: NavItem = {
  to: '/account',
  icon: IconSettings,
  texts: catalogue({ nav: 'Settings' }, { nav: '设置' }),
  shortcut: 's',
};
