import { catalogue } from '../i18n/catalogue.ts';

export const appTexts = catalogue(
  {
    notFoundTitle: 'This page does not exist',
    notFound: 'The address may be mistyped, or the page was deleted or belongs to another account.',
    home: 'To the dashboard',
    brokenTitle: 'The page could not be shown',
    outdated: 'Fanfold has been updated. Reload the page to continue.',
    reload: 'Reload the page',
    signIn: 'Sign in',
  },
  {
    notFoundTitle: '页面不存在',
    notFound: '地址可能有误，或者内容已被删除，或者属于其他人。',
    home: '前往仪表盘',
    brokenTitle: '无法显示此页面',
    outdated: 'Fanfold 已更新，请重新加载页面后继续。',
    reload: '重新加载页面',
    signIn: '登录',
  },
);
