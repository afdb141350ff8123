import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconActivity } from '../../ui/icons.tsx';

export const activityNav: NavItem = {
  to: '/activity',
  icon: IconActivity,
  texts: catalogue({ nav: 'Activity' }, { nav: '动态' }),
  shortcut: 'a',
};
