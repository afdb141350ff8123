import { ownAccount, ownObject, type Row } from '../matrix.ts';
import { ownersKey } from '../scene.ts';

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
