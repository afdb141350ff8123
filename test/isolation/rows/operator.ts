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

async function pull({ world }: Scene) {
  const pullId = newId('pul');
  await world.database.query(
    `insert into model_pulls (id, model, is_weights, is_forced, created_by) values ($1, $1, false, false, $2)`,
    [pullId, world.operator.accountId],
  );
  return { params: { pullId } };
}

const tinyChat = () => ({ params: { baseModelId: 'fanfold-tiny-chat' } });

const route =
  (body?: object) =>
  async ({ world }: Scene) => {
    const routeName = newId('req').toLowerCase().replace('_', '-');
    await world.database.query(
      `insert into serving_routes (id, base_model_id, api, url, upstream_model, capacity, weight, draining)
       values ($1, 'qwen3-4b', 'vllm', 'http://127.0.0.1:9/v1', 'x', 1, 1, true)`,
      [routeName],
    );
    return { params: { routeName }, ...(body ? { body } : {}) };
  };

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
  // Nobody is deleted who was not suspended first.
  { operation: 'operator_accounts.delete', expected: operatorOnly('409 state_conflict'), request: person },
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
  { operation: 'operator_models.list', expected: operatorOnly() },
  { operation: 'operator_models.read', expected: operatorOnly(), request: tinyChat },
  // There is no such file, and what ships cannot be removed.
  {
    operation: 'operator_models.add',
    expected: operatorOnly('400 invalid_request'),
    request: () => ({ body: { id: 'added', path: '/no/such/file.gguf' } }),
  },
  {
    operation: 'operator_models.change',
    expected: operatorOnly(),
    request: () => ({ ...tinyChat(), body: { sequences: null } }),
  },
  {
    operation: 'operator_models.remove',
    expected: operatorOnly('400 invalid_request'),
    request: () => ({
      params: { baseModelId: 'fanfold-tiny-chat' },
      query: { force: 'true' },
    }),
  },
  { operation: 'operator_hub.catalogue', expected: operatorOnly() },
  // There is no hub here.
  {
    operation: 'operator_hub.search',
    expected: operatorOnly('400 invalid_request'),
    request: () => ({ query: { search: 'tiny' } }),
  },
  {
    operation: 'operator_hub.variants',
    expected: operatorOnly('400 invalid_request'),
    request: () => ({ query: { model: 'org/tiny' } }),
  },
  { operation: 'operator_pulls.list', expected: operatorOnly() },
  {
    operation: 'operator_pulls.create',
    expected: operatorOnly('202'),
    request: () => ({ body: { model: `org/${newId('pul')}` } }),
  },
  { operation: 'operator_pulls.read', expected: operatorOnly(), request: pull },
  { operation: 'operator_pulls.cancel', expected: operatorOnly(), request: pull },
  { operation: 'operator_routes.list', expected: operatorOnly() },
  {
    operation: 'operator_routes.save',
    expected: operatorOnly(),
    request: () => ({
      params: { routeName: 'nowhere' },
      body: { base_model_id: 'qwen3-4b', url: 'http://127.0.0.1:9/v1', api: 'vllm' },
    }),
  },
  { operation: 'operator_routes.drain', expected: operatorOnly(), request: route({ draining: true }) },
  { operation: 'operator_routes.test', expected: operatorOnly(), request: route() },
  { operation: 'operator_routes.delete', expected: operatorOnly('204'), request: route() },
  { operation: 'operator_settings.list', expected: operatorOnly() },
  { operation: 'operator_health.read', expected: operatorOnly() },
  { operation: 'operator_jobs.list', expected: operatorOnly() },
  { operation: 'operator_workers.list', expected: operatorOnly() },
];
