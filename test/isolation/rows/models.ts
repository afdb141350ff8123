import { randomBytes } from 'node:crypto';
import { newId } from '#kernel';
import { insertHostedModel } from '#models';
import { ownAccount, ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { canary } from '../world.ts';

const freshAlias = () => `made-${randomBytes(4).toString('hex')}`;

const tinyChat = { type: 'base_model', id: 'fanfold-tiny-chat' };

/** An active alias of the cell's project, for this request alone. */
async function hostedModel({ world, place }: Scene) {
  const baseModel = world.app.models.find(tinyChat.id);
  if (!baseModel) throw new Error(`The catalogue has no ${tinyChat.id}.`);
  const { projectId } = place;
  const model = { projectId, alias: freshAlias(), displayName: `${canary} alias`, baseModel, active: true } as const;
  const { id: hostedModelId } = await insertHostedModel(world.database, model);
  world.secrets.add(hostedModelId);
  return { params: { hostedModelId } };
}

/** The same with a share, for somebody else. */
async function share(scene: Scene) {
  const { params } = await hostedModel(scene);
  const { world, place } = scene;
  const shareId = newId('shr');
  const account = place.ownerSlug === world.stranger.slug ? world.friend : world.stranger;
  await world.database.query(
    'insert into model_shares (id, hosted_model_id, project_id, account_id, expires_at) values ($1, $2, $3, $4, $5)',
    // It has ended: what it opened while it was valid is not the matter here.
    [shareId, params.hostedModelId, place.projectId, account.accountId, new Date(0)],
  );
  world.secrets.add(shareId);
  return { params: { ...params, shareId } };
}

const withBody = (body: object) => async (scene: Scene) => ({ ...(await hostedModel(scene)), body });

export const rows: Row[] = [
  { operation: 'base_models.list', expected: ownAccount() },
  { operation: 'registry_models.list', expected: ownAccount(), request: () => ({ query: { limit: '100' } }) },
  {
    operation: 'hosted_models.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await hostedModel(scene);
      return { query: { limit: '100' } };
    },
  },
  {
    operation: 'hosted_models.create',
    expected: ownerOnlyChange('201'),
    request: () => ({ body: { alias: freshAlias(), target: tinyChat } }),
    attempts: [
      {
        name: 'a training job that is not there',
        caller: 'owner',
        request: () => ({ body: { alias: freshAlias(), target: { type: 'training_job', id: newId('job') } } }),
        expected: '404 model_not_found',
      },
    ],
  },
  { operation: 'hosted_models.read', expected: ownerOnlyRead(), request: hostedModel },
  { operation: 'hosted_models.update', expected: ownerOnlyChange(), request: withBody({ visibility: 'shared' }) },
  { operation: 'hosted_models.activate', expected: ownerOnlyChange(), request: hostedModel },
  { operation: 'hosted_models.deactivate', expected: ownerOnlyChange(), request: hostedModel },
  { operation: 'hosted_models.revisions', expected: ownerOnlyRead(), request: hostedModel },
  { operation: 'hosted_models.rollback', expected: ownerOnlyChange(), request: withBody({ revision: 1 }) },
  { operation: 'model_shares.list', expected: ownerOnlyRead(), request: share },
  {
    operation: 'model_shares.create',
    expected: ownerOnlyChange('201'),
    request: async (scene) => ({
      ...(await hostedModel(scene)),
      body: { account_slug: scene.world.friend.slug, expires_at: new Date(Date.now() + 1_500).toISOString() },
    }),
  },
  { operation: 'model_shares.delete', expected: ownerOnlyChange('204'), request: share },
];
