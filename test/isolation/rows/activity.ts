import { ownAccount, ownObject, type Row, type Scene } from '../matrix.ts';

/** The first thing in the owner's feed, be it archived or not. */
async function ownersRow({ owner }: Scene) {
  const { data } = await owner('GET', '/api/v1/activity?limit=1&archived=all');
  // as: the owner's feed tells at least of his first key.
  const [row] = data as [{ id: string }];
  return { params: { activityId: row.id } };
}

export const rows: Row[] = [
  { operation: 'activity.list', expected: ownAccount() },
  { operation: 'activity.archive', expected: ownObject(), request: ownersRow },
  { operation: 'activity.unarchive', expected: ownObject(), request: ownersRow },
  {
    operation: 'activity.archive_many',
    expected: ownAccount(),
    request: () => ({ body: { before: '2020-01-01T00:00:00Z' } }),
  },
];
