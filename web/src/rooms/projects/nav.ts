import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconFolders } from '../../ui/icons.tsx';

export const projectsNav: NavItem = {
  to: '/projects',
  icon: IconFolders,
  texts: catalogue({ nav: 'Projects' }, { nav: '项目' }),
  shortcut: 'p',
};
