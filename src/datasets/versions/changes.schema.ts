import Type, { type Static } from 'typebox';
import { nullable, pageQuery, pageSchema, said } from '#http';
import { parseExactJson } from '#kernel';
import type { ExampleContent } from '../content/example-content.ts';
import { exampleSchema } from '../examples/examples.schema.ts';
import type { ChangedExample, VersionChange } from './version-changes.store.ts';

const kinds = ['added', 'removed', 'changed'] as const;

export const changesQuery = Type.Object({
  ...pageQuery,
  since: Type.Optional(
    Type.String({
      ...said(
        'The version of the same dataset to compare with. By default the one before; for the first, everything is added.',
        '用于比较的同一数据集的版本，默认为上一个版本；第一个版本的全部样本均视为新增。',
      ),
      maxLength: 64,
    }),
  ),
  change: Type.Optional(Type.Enum([...kinds], said('Only changes of this kind.', '只返回此类变化。'))),
});

const { text, embedding, split, tokens } = exampleSchema.properties;
const side = Type.Object({ text, embedding, split, tokens });

const changeSchema = Type.Object(
  {
    id: Type.String(said('Id of the example.', '样本的 ID。')),
    change: Type.Enum([...kinds], said('What became of it.', '变化类型。')),
    before: nullable(side, said('As it was; null: it was not there.', '之前的内容；为 null 表示当时没有。')),
    after: nullable(side, said('As it is; null: it is gone.', '之后的内容；为 null 表示已移除。')),
  },
  said('An example that differs between two versions.', '两个版本之间有差异的样本。'),
);

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const changesSchema = Type.Object({
  ...pageSchema(changeSchema).properties,
  since: nullable(
    Type.String(),
    said(
      'Id of the version compared with; null: there is none before.',
      '所比较版本的 ID；为 null 表示没有更早的版本。',
    ),
  ),
  counts: Type.Object(
    {
      added: count('Examples that came.', '新增的样本数。'),
      removed: count('Examples that went.', '移除的样本数。'),
      changed: count('Examples with another content or split.', '内容或划分有变化的样本数。'),
    },
    said('All changes, whatever the filter.', '全部变化的计数，与筛选条件无关。'),
  ),
});

export function changeToWire({ id, kind, before, after }: VersionChange): Static<typeof changeSchema> {
  return { id, change: kind, before: before && sideOf(before), after: after && sideOf(after) };
}

function sideOf({ json, split: part, tokens: length }: ChangedExample): Static<typeof side> {
  // Written by this room, in the shape of what was checked.
  const content = parseExactJson(json) as ExampleContent;
  const isPair = 'query' in content;
  return { text: isPair ? null : content, embedding: isPair ? content : null, split: part, tokens: length };
}
