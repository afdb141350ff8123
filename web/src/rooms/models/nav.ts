import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconCube } from '../../ui/icons.tsx';

export const modelsNav: NavItem = {
  to: '/models',
  icon: IconCube,
  texts: catalogue({ nav: 'Models' }, { nav: '模型' }),
  shortcut: 'm',
};
