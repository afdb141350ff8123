import { pageSchema } from '#http';
import { accountLimitsAnswer } from '#limits';
import { operatorContract } from './operator-contract.ts';
import { grantAnswer, invitationsAnswer, newInvitationAnswer, personSchema, signUpSchema } from './people.schema.ts';

const person = {
  id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X',
  slug: 'ada',
  email: 'ada@example.com',
  email_verified: true,
  display_name: 'Ada',
  role: 'user',
  status: 'active',
  can_sign_in: true,
  balance: '12.500000',
  reserved: '0.000000',
  created_at: '2026-01-02T03:04:05.678Z',
};

const invitation = {
  id: 'inv_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  email: 'ada@example.com',
  role: 'user',
  state: 'open',
  account_slug: null,
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-01-09T03:04:05.678Z',
};

export const listPeopleContract = operatorContract({
  summary: 'List the accounts',
  description: 'Every account of this installation with its credits, newest first.',
  answers: {
    200: {
      description: 'A page of accounts.',
      schema: pageSchema(personSchema),
      example: { data: [person], next_cursor: null, total_count: 1 },
    },
  },
});

export const changePersonContract = operatorContract({
  summary: 'Change an account',
  description:
    'Suspends an account or restores it, and makes it an operator or not, from the next request on. An operator cannot take these rights from himself: `state_conflict`.',
  bodyExample: { status: 'suspended' },
  answers: { 200: { description: 'The account.', schema: personSchema, example: { ...person, status: 'suspended' } } },
  faults: ['state_conflict'],
});

export const deletePersonContract = operatorContract({
  summary: 'Delete a suspended account',
  description:
    'Deletes an account as its owner does, which cannot be undone: its e-mail address is free, its projects are removed in the background, and its credits are lost. An account that is not suspended is refused: `state_conflict`.',
  answers: { 204: { description: 'It is deleted.' } },
  faults: ['state_conflict'],
});

export const grantContract = operatorContract({
  summary: 'Grant credits',
  description: 'Gives credits to an account and tells it so in its feed.',
  bodyExample: { credits: '10', note: 'For the workshop' },
  answers: { 200: { description: 'They were given.', schema: grantAnswer, example: { balance: '22.500000' } } },
  idempotent: true,
});

export const readPersonLimitsContract = operatorContract({
  summary: 'Read the limits of an account',
  answers: { 200: accountLimitsAnswer },
});

export const changePersonLimitsContract = operatorContract({
  summary: 'Change the limits of an account',
  description: 'Sets what the operator lets an account use. It stands in `operator`; null lifts a limit.',
  bodyExample: { requests_per_minute: 600, storage_bytes: 10_737_418_240 },
  answers: { 200: accountLimitsAnswer },
});

export const listInvitationsContract = operatorContract({
  summary: 'List the invitations',
  answers: {
    200: { description: 'Invitations.', schema: invitationsAnswer, example: { data: [invitation] } },
  },
});

export const inviteContract = operatorContract({
  summary: 'Invite a person',
  description:
    'Makes a link that opens one account, also where sign-up is closed. It works once, for seven days; with `email` for this address only.',
  bodyExample: { email: 'ada@example.com' },
  answers: {
    201: {
      description: 'The invitation.',
      schema: newInvitationAnswer,
      example: {
        id: invitation.id,
        link: 'https://models.example/join#V4bTq3kS8mD2xW9zJ6nR1pL5cH7fG0aY',
        expires_at: invitation.expires_at,
      },
    },
  },
  faults: ['email_taken'],
});

export const deleteInvitationContract = operatorContract({
  summary: 'Take an invitation back',
  answers: { 204: { description: 'Its link is worth nothing.' } },
});

const signUp = {
  description: 'Who may sign up.',
  schema: signUpSchema,
  example: { policy: 'open', credits: '5.000000' },
};

export const readSignUpContract = operatorContract({
  summary: 'Show who may sign up',
  description: 'As an operator has set it, else as `FANFOLD_SIGNUP` and `FANFOLD_SIGNUP_CREDITS` say.',
  answers: { 200: signUp },
});

export const changeSignUpContract = operatorContract({
  summary: 'Open or close sign-up',
  description: 'Holds on every server from the next sign-up on, whatever the settings of the server say.',
  bodyExample: { policy: 'open', credits: '5' },
  answers: { 200: signUp },
  faults: ['state_conflict'],
});
