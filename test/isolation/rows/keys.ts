import { ownAccount, ownObject, type Row } from '../matrix.ts';
import { ownersKey } from '../scene.ts';

export const rows: Row[] = [
  { operation: 'keys.list', expected: ownAccount() },
  { operation: 'keys.create', expected: ownAccount('201'), request: () => ({ body: { name: 'made' } }) },
  { operation: 'keys.activate', expected: ownObject(), request: ownersKey },
  { operation: 'keys.deactivate', expected: ownObject(), request: ownersKey },
  { operation: 'keys.delete', expected: ownObject('204'), request: ownersKey },
];
