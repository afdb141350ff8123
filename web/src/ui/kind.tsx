import { Badge } from '@mantine/core';
import { catalogue, useTexts } from '../i18n/catalogue.ts';

export const kinds = ['text', 'embedding'] as const;
export type ProjectKind = (typeof kinds)[number];

export const kindTexts = catalogue(
  { kind: 'Kind', all: 'All kinds', text: 'text', embedding: 'embedding' },
  { kind: '类型', all: '全部类型', text: '文本', embedding: '嵌入' },
);

export function KindBadge({ kind }: { kind: ProjectKind }) {
  const t = useTexts(kindTexts);
  return <Badge color={kind === 'text' ? 'pine' : 'ink'}>{t[kind]}</Badge>;
}
