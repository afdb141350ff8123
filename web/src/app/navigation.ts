import type { LinkProps } from '@tanstack/react-router';
import { type Catalogue, catalogue } from '../i18n/catalogue.ts';
import {
  type Icon,
  IconActivity,
  IconCreditCard,
  IconCube,
  IconFolders,
  IconHelp,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconServer,
  IconSettings,
} from '../ui/icons.tsx';

/** An entry of the side bar. */
export type NavItem = {
  to: NonNullable<LinkProps['to']>;
  icon: Icon;
  texts: Catalogue<{ name: string }>;
  shortcut: string;
  /** Shown to operators only. */
  isOperators?: boolean;
};

const navigation: readonly NavItem[] = [
  {
    to: '/',
    icon: IconLayoutDashboard,
    texts: catalogue({ name: 'Dashboard' }, { name: '仪表盘' }),
    shortcut: 'd',
  },
  { to: '/projects', icon: IconFolders, texts: catalogue({ name: 'Projects' }, { name: '项目' }), shortcut: 'p' },
  { to: '/models', icon: IconCube, texts: catalogue({ name: 'Models' }, { name: '模型' }), shortcut: 'm' },
  { to: '/requests', icon: IconListDetails, texts: catalogue({ name: 'Requests' }, { name: '请求' }), shortcut: 'r' },
  { to: '/keys', icon: IconKey, texts: catalogue({ name: 'API keys' }, { name: 'API 密钥' }), shortcut: 'k' },
  { to: '/credits', icon: IconCreditCard, texts: catalogue({ name: 'Credits' }, { name: '额度' }), shortcut: 'c' },
  { to: '/activity', icon: IconActivity, texts: catalogue({ name: 'Activity' }, { name: '动态' }), shortcut: 'a' },
  { to: '/guides', icon: IconHelp, texts: catalogue({ name: 'Guides' }, { name: '指南' }), shortcut: 'h' },
  { to: '/account', icon: IconSettings, texts: catalogue({ name: 'Settings' }, { name: '设置' }), shortcut: 's' },
  {
    to: '/operator/models',
    icon: IconServer,
    texts: catalogue({ name: 'Operator' }, { name: '运营' }),
    shortcut: 'o',
    isOperators: true,
  },
];

/** The entries of an account. */
const ofUsers = navigation.filter(({ isOperators }) => !isOperators);

export const navigationOf = (role: 'user' | 'admin' | undefined): readonly NavItem[] =>
  role === 'admin' ? navigation : ofUsers;
