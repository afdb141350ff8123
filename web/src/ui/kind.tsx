import { Badge } from '@mantine/core';
import { catalogue, useTexts } from '../i18n/catalogue.ts';

export const kinds = ['text', 'embedding'] as const;
export type ProjectKind = (typeof kinds)[number];
export const modelKinds = [...kinds, 'reranker'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** The kind of the projects in which a model is called. */
export const projectKindOf = (kind: ModelKind): ProjectKind => (kind === 'text' ? 'text' : 'embedding');

export const kindTexts = catalogue(
  { kind: 'Kind', all: 'All kinds', text: 'text', embedding: 'embedding', reranker: 'reranker' },
  { kind: '类型', all: '全部类型', text: '文本', embedding: '嵌入', reranker: '重排' },
);

export function KindBadge({ kind }: { kind: ModelKind }) {
  const t = useTexts(kindTexts);
  return <Badge color={kind === 'text' ? 'pine' : 'ink'}>{t[kind]}</Badge>;
}
