import { newId } from '#kernel';
import { ownObject, type Row, type Scene } from '../matrix.ts';

/** A call of the owner that failed; written directly, because a real one is there only a moment later. */
async function ownersRequest({ world, place }: Scene) {
  const requestId = newId('req');
  await world.database.query(
    `insert into failed_requests (id, account_id, state, operation, project_id, http_status, error_code, finished_at)
     select $1, account_id, 'failed', 'chat.create', id, 503, 'model_warming', now() from projects where id = $2`,
    [requestId, place.projectId],
  );
  world.secrets.add(requestId);
  return { params: { requestId } };
}

export const rows: Row[] = [{ operation: 'requests.read', expected: ownObject(), request: ownersRequest }];
