import { ownAccount, ownObject, type Row, type Scene } from '../matrix.ts';

/** A key of the owner, made for one cell. */
async function ownersKey({ owner }: Scene) {
  const { id } = await owner('POST', '/api/v1/keys', { name: 'for one cell' });
  return { params: { keyId: String(id) } };
}

const limits = { requests_per_minute: 100_000 };

export const rows: Row[] = [
  { operation: 'key_limits.read', expected: ownObject(), request: ownersKey },
  {
    operation: 'key_limits.change',
    expected: ownObject(),
    request: async (scene) => ({ ...(await ownersKey(scene)), body: limits }),
  },
  { operation: 'account_limits.read', expected: ownAccount() },
  { operation: 'account_limits.change', expected: ownAccount(), request: () => ({ body: limits }) },
];
