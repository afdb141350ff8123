import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type AccountParts,
  deleteInvitation,
  deleteSuspendedAccount,
  invite,
  joinPath,
  listInvitations,
  readSignUpTerms,
  type SignUpTerms,
} from '#accounts';
import { grant } from '#billing';
import { once } from '#calls';
import type { Database } from '#db';
import { type PublicUrl, pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault, formatCredits, parseCredits } from '#kernel';
import { accountLimitsToWire, changeLimits, changeStorageLimit, readAccountLimits, readLimitsChange } from '#limits';
import { operatorActor, operatorPath } from './operator-contract.ts';
import {
  changePersonContract,
  changePersonLimitsContract,
  changeSignUpContract,
  deleteInvitationContract,
  deletePersonContract,
  grantContract,
  inviteContract,
  listInvitationsContract,
  listPeopleContract,
  readPersonLimitsContract,
  readSignUpContract,
} from './people.contract.ts';
import {
  grantBody,
  invitationBody,
  invitationToWire,
  peopleQuery,
  personBody,
  personLimitsBody,
  personToWire,
  signUpBody,
  signUpToWire,
} from './people.schema.ts';
import { changePerson, changeSignUp, pageOfPeople, requirePerson } from './people.ts';

export type PeopleDeps = {
  database: Database;
  cursors: CursorCodec;
  publicUrl: PublicUrl;
  /** As the server is configured. */
  signUpDefaults: SignUpTerms;
  hasProvider: boolean;
  /** What goes at once when an account is deleted. */
  accountParts: AccountParts;
};

const accountPath = `${operatorPath}/accounts/:accountId`;
const shownInvitations = 100;

/** Accounts, invitations and sign-up. */
export function peopleRoutes(deps: PeopleDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    addAccountRoutes(app, deps);
    addLimitRoutes(app, deps);
    addInvitationRoutes(app, deps);
    addSignUpRoutes(app, deps);
  };
}

function accountIdOf({ params }: FastifyRequest): string {
  // as: the path declares it.
  return (params as { accountId: string }).accountId;
}

function addAccountRoutes(app: FastifyInstance, { database, cursors, accountParts }: PeopleDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();

  typed.get(
    `${operatorPath}/accounts`,
    {
      config: { operation: 'operator_accounts.list', contract: listPeopleContract },
      schema: { querystring: peopleQuery },
    },
    async ({ query }) => {
      const page = await pageOfPeople({ sql: database, cursors }, query.search ?? null, readPage(query));
      return pageOf({ ...page, toWire: personToWire });
    },
  );

  typed.patch(
    accountPath,
    { config: { operation: 'operator_accounts.change', contract: changePersonContract }, schema: { body: personBody } },
    async (request) => {
      const address = { id: accountIdOf(request), changedBy: request.principal.accountId };
      return personToWire(await changePerson(database, address, request.body));
    },
  );

  app.post(
    `${accountPath}/delete`,
    { config: { operation: 'operator_accounts.delete', contract: deletePersonContract } },
    async (request, reply) => {
      await database.transaction((tx) => deleteSuspendedAccount(tx, accountParts, accountIdOf(request)));
      return reply.code(204).send();
    },
  );

  typed.post(
    `${accountPath}/credits`,
    { config: { operation: 'operator_accounts.grant', contract: grantContract }, schema: { body: grantBody } },
    async (request) => {
      const { credits, note = null } = request.body;
      const micro = creditsIn(credits);
      const inOnce = once(request, database);
      const { id: accountId } = await requirePerson(inOnce, accountIdOf(request));
      return { balance: formatCredits(await grant(inOnce, { accountId, micro, note }, operatorActor)) };
    },
  );
}

function creditsIn(text: string): bigint {
  const micro = parseCredits(text);
  if (micro !== null) return micro;
  throw fault('invalid_request', {
    message: 'credits: expected a number of credits with at most six decimals.',
    param: 'credits',
  });
}

function addLimitRoutes(app: FastifyInstance, { database }: PeopleDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();

  app.get(
    `${accountPath}/limits`,
    { config: { operation: 'operator_accounts.read_limits', contract: readPersonLimitsContract } },
    async (request) => {
      const { id } = await requirePerson(database, accountIdOf(request));
      return accountLimitsToWire(await readAccountLimits(database, id));
    },
  );

  typed.patch(
    `${accountPath}/limits`,
    {
      config: { operation: 'operator_accounts.change_limits', contract: changePersonLimitsContract },
      schema: { body: personLimitsBody },
    },
    async (request) => {
      const { storage_bytes: mostBytes, ...limits } = request.body;
      const wanted = readLimitsChange(limits);
      const { id: accountId } = await requirePerson(database, accountIdOf(request));
      if (Object.keys(wanted).length > 0)
        await changeLimits(
          database,
          { scope: 'operator', id: accountId, accountId },
          { wanted, actor: operatorActor, requestId: request.id },
        );
      if (mostBytes !== undefined) {
        const bytes = mostBytes === null ? null : BigInt(mostBytes);
        await changeStorageLimit(database, { accountId, mostBytes: bytes, actor: operatorActor });
      }
      return accountLimitsToWire(await readAccountLimits(database, accountId));
    },
  );
}

function addInvitationRoutes(app: FastifyInstance, { database, publicUrl }: PeopleDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const path = `${operatorPath}/invitations`;

  typed.get(
    path,
    { config: { operation: 'operator_invitations.list', contract: listInvitationsContract } },
    async () => {
      const now = new Date();
      const invitations = await listInvitations(database, shownInvitations);
      return { data: invitations.map((invitation) => invitationToWire(invitation, now)) };
    },
  );

  typed.post(
    path,
    {
      config: { operation: 'operator_invitations.create', contract: inviteContract },
      schema: { body: invitationBody },
    },
    async (request, reply) => {
      const { email = null, role = 'user' } = request.body;
      const { accountId: createdBy } = request.principal;
      const { id, token, expiresAt } = await invite(database, { email, role, createdBy });
      reply.code(201).header('cache-control', 'no-store');
      return { id, link: publicUrl(request) + joinPath(token), expires_at: expiresAt.toISOString() };
    },
  );

  app.delete<{ Params: { invitationId: string } }>(
    `${path}/:invitationId`,
    { config: { operation: 'operator_invitations.delete', contract: deleteInvitationContract } },
    async ({ params }, reply) => {
      if (!(await deleteInvitation(database, params.invitationId)))
        throw fault('not_found', { message: 'There is no such invitation, or it was used.' });
      return reply.code(204).send();
    },
  );
}

function addSignUpRoutes(app: FastifyInstance, { database, signUpDefaults, hasProvider }: PeopleDeps): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const path = `${operatorPath}/sign-up`;

  typed.get(path, { config: { operation: 'operator_sign_up.read', contract: readSignUpContract } }, async () =>
    signUpToWire(await readSignUpTerms(database, signUpDefaults)),
  );

  typed.patch(
    path,
    { config: { operation: 'operator_sign_up.change', contract: changeSignUpContract }, schema: { body: signUpBody } },
    async ({ body }) => {
      const { policy, credits } = body;
      const change = { policy, creditsMicro: credits === undefined ? undefined : creditsIn(credits) };
      return signUpToWire(await changeSignUp(database, { defaults: signUpDefaults, hasProvider }, change));
    },
  );
}
