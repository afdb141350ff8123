import { catalogue } from '../../i18n/catalogue.ts';

export const frameTexts = catalogue(
  {
    skip: 'Skip to the content',
    side: 'Side bar',
    mainNavigation: 'Main',
    openNavigation: 'Open the navigation',
    reference: 'API reference',
    palette: 'Search or go to',
    account: (name: string) => `Account of ${name}`,
  },
  {
    skip: '跳到正文',
    side: '侧边栏',
    mainNavigation: '主导航',
    openNavigation: '打开导航',
    reference: 'API 参考',
    palette: '搜索或前往',
    account: (name) => `账户：${name}`,
  },
);
