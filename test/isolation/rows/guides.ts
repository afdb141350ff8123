import { everyone, type Row } from '../matrix.ts';

export const rows: Row[] = [
  { operation: 'guides.list', expected: everyone() },
  { operation: 'guides.read', expected: everyone(), request: () => ({ params: { guideName: 'training' } }) },
  { operation: 'guides.search', expected: everyone(), request: () => ({ query: { q: 'training' } }) },
];
