import { newId } from '#kernel';
import { ownAccount, ownObject, type Row, type Scene } from '../matrix.ts';

/** A call of the owner that failed; written directly, because a real one is there only a moment later. */
async function ownersRequest({ world, place }: Scene) {
  const requestId = newId('req');
  await world.database.query(
    `insert into request_log (id, account_id, state, operation, project_id, http_status, error_code, finished_at)
     select $1, account_id, 'failed', 'chat.create', id, 503, 'model_warming', now() from projects where id = $2`,
    [requestId, place.projectId],
  );
  world.secrets.add(requestId);
  return { params: { requestId } };
}

/** Somebody else's list does not show it. */
async function listAfterOwners(scene: Scene) {
  await ownersRequest(scene);
  return {};
}

export const rows: Row[] = [
  { operation: 'requests.list', expected: ownAccount(), request: listAfterOwners },
  { operation: 'requests.read', expected: ownObject(), request: ownersRequest },
];
