import { everyone, type Row } from '../matrix.ts';

export const rows: Row[] = [
  { operation: 'health.live', expected: everyone() },
  { operation: 'health.ready', expected: everyone() },
];
