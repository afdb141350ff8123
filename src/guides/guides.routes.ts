import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { answerCacheable, cacheableText, type TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { listGuidesContract, readGuideContract, searchGuidesContract } from './guides.contract.ts';
import { sectionsQuery } from './guides.schema.ts';
import { openGuides } from './guides.ts';
import { searchGuides } from './search-guides.ts';

const config = (operation: string) => ({ operation, access: 'public' }) as const;
const params = Type.Object({ guideName: Type.String() });
const maxSections = 30;

const jsonOf = (value: object) => cacheableText(JSON.stringify(value), 'application/json; charset=utf-8');

/** The guides in `folder`, for everybody. */
export function guidesRoutes(folder: string) {
  const guides = openGuides(folder);

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/guides',
      { config: { ...config('guides.list'), contract: listGuidesContract } },
      (request, reply) => {
        const data = [...guides()].map(([name, { title, summary, group }]) => ({ name, title, summary, group }));
        return answerCacheable(request, reply, jsonOf({ data }));
      },
    );

    typed.get(
      '/api/v1/guides/:guideName',
      { config: { ...config('guides.read'), contract: readGuideContract }, schema: { params } },
      (request, reply) => {
        const name = request.params.guideName;
        const guide = guides().get(name);
        if (!guide) throw fault('not_found', { message: 'There is no such guide.' });
        const { title, markdown, headings } = guide;
        return answerCacheable(request, reply, jsonOf({ name, title, markdown, headings }));
      },
    );

    typed.get(
      '/api/v1/guide-sections',
      {
        config: { ...config('guides.search'), contract: searchGuidesContract },
        schema: { querystring: sectionsQuery },
      },
      (request, reply) => {
        const data = searchGuides(guides(), request.query.q, maxSections).map(({ name, guide, section, excerpt }) => ({
          guide: name,
          title: guide.title,
          heading: section.heading,
          anchor: section.anchor,
          excerpt,
        }));
        return answerCacheable(request, reply, jsonOf({ data }));
      },
    );
  };
}
