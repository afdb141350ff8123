import type { NavItem } from '../../app/nav-item.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { IconCreditCard } from '../../ui/icons.tsx';

export const billingNav: NavItem = {
  to: '/credits',
  icon: IconCreditCard,
  texts: catalogue({ nav: 'Credits' }, { nav: '额度' }),
  shortcut: 'c',
};
