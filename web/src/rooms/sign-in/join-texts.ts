import { catalogue } from '../../i18n/catalogue.ts';

export const joinTexts = catalogue(
  {
    startTitle: 'Welcome to Fanfold',
    startText: 'Set your address and password. You are then signed in as the operator of this server.',
    joinTitle: 'Accept the invitation',
    joinText: 'Set a password to create your account.',
    invalid: 'Open the link exactly as it was printed or sent, or ask for a new one.',
    start: 'Set and sign in',
    join: 'Create account',
  },
  {
    startTitle: '欢迎使用 Fanfold',
    startText: '设置你的邮箱和密码，随后将以此服务器运营者的身份登录。',
    joinTitle: '接受邀请',
    joinText: '设置密码以创建账户。',
    invalid: '请按打印或收到的链接原样打开，或索取新的链接。',
    start: '设置并登录',
    join: '创建账户',
  },
);
