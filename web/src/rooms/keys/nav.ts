import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconKey } from '../../ui/icons.tsx';

export const keysNav: NavItem = {
  to: '/keys',
  icon: IconKey,
  texts: catalogue({ nav: 'API keys' }, { nav: 'API 密钥' }),
  shortcut: 'k',
};
