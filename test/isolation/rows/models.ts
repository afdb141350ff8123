import { ownAccount, type Row } from '../matrix.ts';

export const rows: Row[] = [{ operation: 'base_models.list', expected: ownAccount() }];
