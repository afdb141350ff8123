import { everyone, type Row } from '../matrix.ts';

const documents = ['json_en', 'yaml_en', 'json_zh', 'yaml_zh'].map((document) => `contract.${document}`);

export const rows: Row[] = [
  ...[...documents, 'operations.list', 'reference.page'].map((operation) => ({
    operation,
    expected: everyone(),
  })),
  {
    operation: 'operations.read',
    expected: everyone(),
    request: () => ({ params: { operationId: 'keys.list' } }),
  },
  { operation: 'reference.asset', expected: everyone(), request: () => ({ params: { asset: 'start.js' } }) },
];
