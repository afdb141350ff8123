import Type from 'typebox';
import { nullable } from '#http';
import { guideGroups } from './guide-list.ts';

const text = (description: string) => Type.String({ description });
const name = text('Name of the guide.');
const title = text('Title of the guide.');

export const sectionsQuery = Type.Object({
  q: Type.String({
    description: 'Words that a section must contain, also as parts of words.',
    minLength: 1,
    maxLength: 200,
  }),
});

export const guideListSchema = Type.Object({
  data: Type.Array(
    Type.Object(
      {
        name,
        title,
        summary: text('How it begins.'),
        group: Type.Enum(
          guideGroups.map((group) => group.name),
          { description: 'What it is about.' },
        ),
      },
      { $id: 'GuideEntry' },
    ),
    { description: 'The guides, in the order of reading.' },
  ),
});

export const guideSchema = Type.Object(
  {
    name,
    title,
    markdown: text('The text without its title, in Markdown. Links within it are absolute paths on this server.'),
    headings: Type.Array(
      Type.Object({
        level: Type.Integer({ description: 'Level of the heading, 2 to 6.', minimum: 2, maximum: 6 }),
        text: text('Text of the heading.'),
        anchor: text('Its anchor in the page.'),
      }),
      { description: 'The headings, in their order.' },
    ),
  },
  { $id: 'Guide' },
);

export const sectionsSchema = Type.Object({
  data: Type.Array(
    Type.Object(
      {
        guide: name,
        title,
        heading: text('Heading of the section; the title for what stands before the first one.'),
        anchor: nullable(Type.String({ description: 'Anchor of the heading; null for the beginning of the guide.' })),
        excerpt: text('Text around the first word that was found.'),
      },
      { $id: 'GuideSection' },
    ),
    { description: 'At most 30 sections, best first.' },
  ),
});
