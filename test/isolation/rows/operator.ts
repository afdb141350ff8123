import { newId } from '#kernel';
import { operatorOnly, type Row, type Scene } from '../matrix.ts';

/** An account that nobody else in the matrix is. */
async function person({ world }: Scene) {
  const accountId = newId('acc');
  const slug = accountId.toLowerCase().replace('_', '-');
  await world.database.query('insert into accounts (id, slug, display_name) values ($1, $2, $2)', [accountId, slug]);
  return { params: { accountId } };
}

async function invitation({ world }: Scene) {
  const invitationId = newId('inv');
  await world.database.query(
    `insert into invitations (id, token_digest, kind, role, expires_at)
     values ($1, sha256(convert_to($1::text, 'UTF8')), 'account', 'user', now() + interval '1 day')`,
    [invitationId],
  );
  return { params: { invitationId } };
}

const about = (body: object) => async (scene: Scene) => ({ ...(await person(scene)), body });

export const rows: Row[] = [
  { operation: 'operator_accounts.list', expected: operatorOnly() },
  {
    operation: 'operator_accounts.change',
    expected: operatorOnly(),
    request: about({ status: 'suspended', role: 'admin' }),
    attempts: [
      {
        name: 'an account that makes itself an operator',
        caller: 'stranger',
        request: ({ world }) => ({ params: { accountId: world.stranger.accountId }, body: { role: 'admin' } }),
        expected: '403 forbidden',
      },
      {
        name: 'an operator who suspends himself',
        caller: 'operator',
        request: ({ world }) => ({ params: { accountId: world.operator.accountId }, body: { status: 'suspended' } }),
        expected: '409 state_conflict',
      },
    ],
  },
  { operation: 'operator_accounts.grant', expected: operatorOnly(), request: about({ credits: '1' }) },
  { operation: 'operator_accounts.read_limits', expected: operatorOnly(), request: person },
  {
    operation: 'operator_accounts.change_limits',
    expected: operatorOnly(),
    request: about({ requests_per_minute: 10, storage_bytes: null }),
  },
  { operation: 'operator_invitations.list', expected: operatorOnly() },
  { operation: 'operator_invitations.create', expected: operatorOnly('201'), request: () => ({ body: {} }) },
  { operation: 'operator_invitations.delete', expected: operatorOnly('204'), request: invitation },
  { operation: 'operator_sign_up.read', expected: operatorOnly() },
  {
    operation: 'operator_sign_up.change',
    expected: operatorOnly(),
    request: () => ({ body: { policy: 'closed', credits: '0' } }),
  },
];
