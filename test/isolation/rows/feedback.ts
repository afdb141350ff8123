import { randomBytes } from 'node:crypto';
import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { canary } from '../world.ts';

const fresh = () => randomBytes(6).toString('hex');

/** A search whose second result was clicked. */
const search = () => ({
  query: `${canary} ${fresh()}`,
  results: [
    { rank: 1, text: `${canary} is a flower` },
    { rank: 2, text: `${canary} ${fresh()} is a colour` },
  ],
  judgments: [{ rank: 2, label: 'positive', signal: 'click' }],
});

/** An embedding dataset of the cell's project; written directly, because some of its owners may not ask. */
async function dataset({ world, place }: Scene) {
  const datasetId = newId('ds');
  await world.database.query(
    `insert into datasets (id, project_id, name, kind, search_text) values ($1, $2, $3, 'embedding', '')`,
    [datasetId, place.projectId, `${canary} clicks`],
  );
  world.secrets.add(datasetId);
  return { params: { datasetId } };
}

/** An event in one. */
async function event(scene: Scene) {
  const { params } = await dataset(scene);
  const { world } = scene;
  const eventId = newId('rev');
  const { query, results, judgments } = search();
  await world.database.query(
    `insert into retrieval_events (dataset_id, id, body_digest, state, query, results, judgments, words)
     values ($1, $2, sha256(''), 'pending', $3, $4, $5, $6)`,
    [
      params.datasetId,
      eventId,
      query,
      JSON.stringify(results.map((result) => ({ document_id: null, score: null, ...result }))),
      JSON.stringify(judgments.map((judgment) => ({ document_id: null, strength: 1, ...judgment }))),
      ` ${query} `,
    ],
  );
  world.secrets.add(eventId);
  return { params: { ...params, eventId } };
}

const withBody = (body: () => object) => async (scene: Scene) => ({ ...(await dataset(scene)), body: body() });

export const rows: Row[] = [
  { operation: 'retrieval_settings.read', kind: 'embedding', expected: ownerOnlyRead() },
  {
    operation: 'retrieval_events.create',
    kind: 'embedding',
    expected: ownerOnlyChange('201'),
    request: withBody(search),
  },
  {
    operation: 'retrieval_events.create_many',
    kind: 'embedding',
    expected: ownerOnlyChange(),
    request: withBody(() => ({ events: [search()] })),
  },
  {
    operation: 'retrieval_events.list',
    kind: 'embedding',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      const { params } = await event(scene);
      return { params: { datasetId: params.datasetId }, query: { q: canary } };
    },
  },
  { operation: 'retrieval_events.read', kind: 'embedding', expected: ownerOnlyRead(), request: event },
  { operation: 'retrieval_events.skip', kind: 'embedding', expected: ownerOnlyChange(), request: event },
  { operation: 'retrieval_events.restore', kind: 'embedding', expected: ownerOnlyChange(), request: event },
  { operation: 'retrieval_events.promote', kind: 'embedding', expected: ownerOnlyChange('201'), request: event },
  {
    operation: 'retrieval_events.promote_many',
    kind: 'embedding',
    expected: ownerOnlyChange(),
    request: async (scene) => {
      const { params } = await event(scene);
      return { params: { datasetId: params.datasetId }, body: { ids: [params.eventId] } };
    },
    attempts: [
      {
        name: 'an event of the owner by its id, in a dataset of the stranger',
        request: async (scene) => {
          const { private: owners, ofStranger } = scene.world.places.embedding;
          const { params } = await dataset({ ...scene, place: ofStranger });
          return {
            params: { ...params, owner: ofStranger.ownerSlug, project: ofStranger.project },
            body: { ids: [(await event({ ...scene, place: owners })).params.eventId] },
          };
        },
        expected: '200',
      },
    ],
  },
];
