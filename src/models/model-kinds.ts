import type { ProjectKind } from '#projects';

/** A reranker belongs to embedding projects (`projectKindOf`). */
export const modelKinds = ['text', 'embedding', 'reranker'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** The kind of the projects in which a model of this kind is called. */
export const projectKindOf = (kind: ModelKind): ProjectKind => (kind === 'text' ? 'text' : 'embedding');
