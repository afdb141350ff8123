import Type from 'typebox';
import { nullable, said, timestamp } from '#http';
import { accountSchema } from '../account.schema.ts';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';

export const signUpBody = Type.Object({
  email: Type.String(said('E-mail address; upper and lower case are one.', '邮箱地址，不区分大小写。')),
  password: Type.String(said('12 to 128 characters, hard to guess.', '12 到 128 个字符，且不易猜测。')),
  slug: Type.Optional(
    Type.String(
      said(
        'Part of the addresses of its projects; without it one is made of the e-mail address. It cannot be changed.',
        '用于其项目地址的一部分；省略时根据邮箱地址生成。之后不可更改。',
      ),
    ),
  ),
  display_name: Type.Optional(Type.String(said('1 to 80 characters on one line.', '1 到 80 个字符，单行。'))),
});

export const signInBody = Type.Object({
  email: Type.String(said('E-mail address.', '邮箱地址。')),
  password: Type.String(said('Password.', '密码。')),
});

/** A path of this site: neither `//host` nor `/\host`, which browsers take for another one. */
const returnPath = '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$';

export const departBody = Type.Object({
  return_to: Type.Optional(
    Type.String({
      ...said('Path of the page to come back to; default: the first page.', '登录后返回的页面路径；默认为首页。'),
      pattern: returnPath,
      maxLength: 1000,
    }),
  ),
});

export const departAnswer = Type.Object({
  url: Type.String(said('Where to send the browser.', '应将浏览器重定向到的地址。')),
});

/** What providers send back; other parameters are ignored. */
export const callbackQuery = Type.Object({
  code: Type.Optional(Type.String({ ...said('Code of the sign-in.', '授权码。'), maxLength: 4096 })),
  state: Type.Optional(Type.String({ ...said('State of the sign-in.', '状态参数。'), maxLength: 1024 })),
  iss: Type.Optional(Type.String({ ...said('Issuer.', '签发者。'), maxLength: 1024 })),
  error: Type.Optional(Type.String({ ...said('Why there is no code.', '未返回授权码的原因。'), maxLength: 256 })),
  error_description: Type.Optional(Type.String({ ...said('The same in words.', '原因的文字说明。'), maxLength: 4096 })),
});

const session = Type.Object(
  {
    id: Type.String(said('Identifier.', '标识符。')),
    created_at: timestamp(said('When the person signed in.', '登录时间。')),
    expires_at: timestamp(
      said('When it ends unless it is used; use puts this off.', '若不再使用的结束时间；使用会使其顺延。'),
    ),
  },
  { $id: 'Session' },
);

export const sessionAnswer = Type.Object(
  {
    session,
    csrf_token: Type.String(
      said(
        'To be sent as `x-fnf-csrf` with every request but GET.',
        '除 GET 外的每个请求都须以 `x-fnf-csrf` 标头发送。',
      ),
    ),
    account: accountSchema,
  },
  { $id: 'SignedIn' },
);

export const optionsAnswer = Type.Object({
  sign_up: Type.Union(
    [Type.Literal('open'), Type.Literal('oidc'), Type.Literal('closed')],
    said(
      'Who may open an account: anyone, people of the identity provider, or only the operator.',
      '谁可以开户：任何人、身份提供方的用户，或仅运营方。',
    ),
  ),
  oidc: nullable(
    Type.Object({ name: Type.String(said('Name for people.', '显示名称。')) }),
    said('The identity provider; null when there is none.', '身份提供方；没有时为 null。'),
  ),
  password: Type.Object(
    {
      min_length: Type.Integer({ ...said('Characters at least.', '最少字符数。'), examples: [minPasswordLength] }),
      max_length: Type.Integer({ ...said('Characters at most.', '最多字符数。'), examples: [maxPasswordLength] }),
    },
    said('What a new password must be, besides hard to guess.', '新密码的要求（此外还须不易猜测）。'),
  ),
});

export const signOutEverywhereBody = Type.Object({
  keep_current: Type.Optional(Type.Boolean({ ...said('Keep this session.', '保留当前会话。'), default: false })),
});

export const signOutEverywhereAnswer = Type.Object({
  ended: Type.Integer({ ...said('Sessions that this request ended.', '本次请求结束的会话数。'), minimum: 0 }),
});
