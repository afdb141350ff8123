import { ownAccount, type Row } from '../matrix.ts';

export const rows: Row[] = [{ operation: 'dashboard.read', expected: ownAccount() }];
