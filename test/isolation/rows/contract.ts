import { everyone, type Row } from '../matrix.ts';

const documents = ['json_en', 'yaml_en', 'json_zh', 'yaml_zh'].map((document) => `contract.${document}`);

export const rows: Row[] = [
  ...[...documents, 'operations.list', 'reference.overview', 'reference.style'].map((operation) => ({
    operation,
    expected: everyone(),
  })),
  {
    operation: 'operations.read',
    expected: everyone(),
    request: () => ({ params: { operationId: 'keys.list' } }),
  },
  { operation: 'reference.group', expected: everyone(), request: () => ({ params: { group: 'keys' } }) },
];
