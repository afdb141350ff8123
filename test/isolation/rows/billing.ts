import { ownAccount, type Row } from '../matrix.ts';

export const rows: Row[] = [
  { operation: 'credits.read', expected: ownAccount() },
  { operation: 'credits.usage', expected: ownAccount() },
  { operation: 'credits.summary', expected: ownAccount(), request: () => ({ query: { group_by: 'day' } }) },
];
