import Type from 'typebox';
import { nullable, timestamp } from '#http';
import { accountSchema } from '../account.schema.ts';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';

export const signUpBody = Type.Object({
  email: Type.String({ description: 'E-mail address; upper and lower case are one.' }),
  password: Type.String({ description: '12 to 128 characters, hard to guess.' }),
  slug: Type.Optional(
    Type.String({
      description:
        'Part of the addresses of its projects; without it one is made of the e-mail address. It cannot be changed.',
    }),
  ),
  display_name: Type.Optional(Type.String({ description: '1 to 80 characters on one line.' })),
});

const tokenField = Type.String({ description: 'What stands behind `#` in the link.', maxLength: 100 });

export const invitationBody = Type.Object({ token: tokenField });

export const invitationAnswer = Type.Object({
  kind: Type.Union([Type.Literal('start'), Type.Literal('account')], {
    description:
      '`start`: it gives the account that the first start made its address and password; `account`: it opens an account.',
  }),
  role: Type.Union([Type.Literal('user'), Type.Literal('admin')], { description: 'Role of the account.' }),
  email: nullable(Type.String(), 'The address that it is for; null: any.'),
});

export const joinBody = Type.Object({ token: tokenField, ...signUpBody.properties });

export const signInBody = Type.Object({
  email: Type.String({ description: 'E-mail address.' }),
  password: Type.String({ description: 'Password.' }),
});

/** A path of this site: neither `//host` nor `/\host`, which browsers take for another one. */
const returnPath = '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$';

export const departBody = Type.Object({
  return_to: Type.Optional(
    Type.String({
      description: 'Path of the page to come back to; default: the first page.',
      pattern: returnPath,
      maxLength: 1000,
    }),
  ),
});

export const departAnswer = Type.Object({
  url: Type.String({ description: 'Where to send the browser.' }),
});

/** What providers send back; other parameters are ignored. */
export const callbackQuery = Type.Object({
  code: Type.Optional(Type.String({ description: 'Code of the sign-in.', maxLength: 4096 })),
  state: Type.Optional(Type.String({ description: 'State of the sign-in.', maxLength: 1024 })),
  iss: Type.Optional(Type.String({ description: 'Issuer.', maxLength: 1024 })),
  error: Type.Optional(Type.String({ description: 'Why there is no code.', maxLength: 256 })),
  error_description: Type.Optional(Type.String({ description: 'The same in words.', maxLength: 4096 })),
});

const session = Type.Object(
  {
    id: Type.String({ description: 'Identifier.' }),
    created_at: timestamp('When the person signed in.'),
    expires_at: timestamp('When it ends unless it is used; use puts this off.'),
  },
  { $id: 'Session' },
);

export const sessionAnswer = Type.Object(
  {
    session,
    csrf_token: Type.String({ description: 'To be sent as `x-fnf-csrf` with every request but GET.' }),
    account: accountSchema,
  },
  { $id: 'SignedIn' },
);

export const sessionsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      ...session.properties,
      last_used_at: timestamp('When it was last used; written at most once an hour.'),
      user_agent: nullable(Type.String(), 'What the browser called itself at sign-in.'),
      is_current: Type.Boolean({ description: 'Whether this request came with it.' }),
    }),
    { description: 'Sessions, the one used last first.' },
  ),
});

export const optionsAnswer = Type.Object({
  sign_up: Type.Union([Type.Literal('open'), Type.Literal('oidc'), Type.Literal('closed')], {
    description: 'Who may open an account: anyone, people of the identity provider, or only the operator.',
  }),
  oidc: nullable(
    Type.Object({ name: Type.String({ description: 'Name for people.' }) }),
    'The identity provider; null when there is none.',
  ),
  password: Type.Object(
    {
      min_length: Type.Integer({ description: 'Characters at least.', examples: [minPasswordLength] }),
      max_length: Type.Integer({ description: 'Characters at most.', examples: [maxPasswordLength] }),
    },
    { description: 'What a new password must be, besides hard to guess.' },
  ),
});

export const signOutEverywhereBody = Type.Object({
  keep_current: Type.Optional(Type.Boolean({ description: 'Keep this session.', default: false })),
});

export const signOutEverywhereAnswer = Type.Object({
  ended: Type.Integer({ description: 'Sessions that this request ended.', minimum: 0 }),
});
