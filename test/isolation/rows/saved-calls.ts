import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { textDataset } from '../scene.ts';
import { canary } from '../world.ts';

/** A call that the project of the cell has kept; written directly, because a real one is there only a moment later. */
async function savedCall({ world, place }: Scene) {
  const requestId = newId('req');
  await world.database.query(
    `insert into saved_calls (request_id, project_id, account_id, model_requested, model_served, messages, tools, params,
       answer, finish_reason, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, active_ms,
       prompt_preview, answer_preview, search_text)
     select $1, p.id, p.account_id, 'chat', 'fanfold-tiny-chat', json_build_array(json_build_object('content', $3::text)),
            '[]', '{}', json_build_object('content', $3::text), 'stop', 1, 1, 0, 0, 1, $3, $3, $3
       from projects p where p.id = $2`,
    [requestId, place.projectId, `${canary} words`],
  );
  world.secrets.add(requestId);
  return { params: { requestId } };
}

export const rows: Row[] = [
  {
    operation: 'saved_calls.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await savedCall(scene);
      return { query: { q: canary } };
    },
  },
  { operation: 'saved_calls.read', expected: ownerOnlyRead(), request: savedCall },
  { operation: 'saved_calls.delete', expected: ownerOnlyChange('204'), request: savedCall },
  {
    operation: 'saved_calls.delete_many',
    expected: ownerOnlyChange(),
    request: async (scene) => {
      await savedCall(scene);
      return { query: { all: 'true' } };
    },
  },
  {
    operation: 'saved_calls.convert',
    expected: ownerOnlyChange(),
    request: async (scene) => {
      const { params } = await savedCall(scene);
      return { body: { dataset_id: await textDataset(scene), ids: [params.requestId] } };
    },
    attempts: [
      {
        name: 'a dataset of another project',
        caller: 'owner',
        request: async (scene) => {
          const { projectId } = scene.world.places.text.elsewhere;
          return { body: { dataset_id: await textDataset(scene, projectId), filter: {} } };
        },
        expected: '404 not_found',
        like: () => ({ body: { dataset_id: newId('ds'), filter: {} } }),
      },
    ],
  },
];
