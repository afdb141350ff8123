import Type, { type Static } from 'typebox';
import { nullable, pageQuery, pageSchema } from '#http';
import { parseExactJson } from '#kernel';
import type { ExampleContent } from '../content/example-content.ts';
import { exampleSchema } from '../examples/examples.schema.ts';
import type { ChangedExample, VersionChange } from './version-changes.store.ts';

const kinds = ['added', 'removed', 'changed'] as const;

export const changesQuery = Type.Object({
  ...pageQuery,
  since: Type.Optional(
    Type.String({
      description:
        'The version of the same dataset to compare with. By default the one before; for the first, everything is added.',
      maxLength: 64,
    }),
  ),
  change: Type.Optional(Type.Enum([...kinds], { description: 'Only changes of this kind.' })),
});

const { text, embedding, split, tokens } = exampleSchema.properties;
const side = Type.Object({ text, embedding, split, tokens });

const changeSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the example.' }),
    change: Type.Enum([...kinds], { description: 'Kind of change.' }),
    before: nullable(side, 'As it was; null: it was not there.'),
    after: nullable(side, 'As it is; null: it is gone.'),
  },
  { description: 'An example that differs between two versions.' },
);

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const changesSchema = Type.Object({
  ...pageSchema(changeSchema).properties,
  since: nullable(Type.String(), 'Id of the version compared with; null: there is none before.'),
  counts: Type.Object(
    {
      added: count('Examples that came.'),
      removed: count('Examples that went.'),
      changed: count('Examples with another content or split.'),
    },
    { description: 'All changes, whatever the filter.' },
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
