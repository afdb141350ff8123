import { ownAccount, ownObject, type Row, type Scene } from '../matrix.ts';

/** A key of the owner, made for one cell. */
async function ownersKey({ owner }: Scene) {
  const { id } = await owner('POST', '/api/v1/keys', { name: 'for one cell' });
  return { params: { keyId: String(id) } };
}

export const rows: Row[] = [
  { operation: 'keys.list', expected: ownAccount() },
  { operation: 'keys.create', expected: ownAccount('201'), request: () => ({ body: { name: 'made' } }) },
  { operation: 'keys.activate', expected: ownObject(), request: ownersKey },
  { operation: 'keys.deactivate', expected: ownObject(), request: ownersKey },
  { operation: 'keys.delete', expected: ownObject('204'), request: ownersKey },
];
