import { accountNav } from '../rooms/account/nav.ts';
import { activityNav } from '../rooms/activity/nav.ts';
import { billingNav } from '../rooms/billing/nav.ts';
import { dashboardNav } from '../rooms/dashboard/nav.ts';
import { keysNav } from '../rooms/keys/nav.ts';
import { modelsNav } from '../rooms/models/nav.ts';
import { projectsNav } from '../rooms/projects/nav.ts';
import type { NavItem } from './nav-item.ts';

/** The side bar, from top to bottom. A page is named here when it exists. */
export const navigation: readonly NavItem[] = [
  dashboardNav,
  projectsNav,
  modelsNav,
  keysNav,
  billingNav,
  activityNav,
  accountNav,
];
