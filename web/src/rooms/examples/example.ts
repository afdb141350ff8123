import type { Routes, Schemas } from '../../api/generated/contract.ts';

export type Example = Schemas['Example'];
export type Split = Example['split'];
export type Origin = Example['origin'];
export type TextContent = NonNullable<Example['text']>;
export type EmbeddingContent = NonNullable<Example['embedding']>;
export type NewExample =
  Routes['POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples']['body']['examples'][number];
