import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import { fault } from '#kernel';
import { answerCacheable, cacheableText } from '../../cached-answer.ts';
import type { TypeBoxProvider } from '../../validation.ts';
import { languages } from '../model.ts';
import { oncePerLanguage, type Publication } from '../publication.ts';
import { groupPage, overviewPage } from './page.ts';

const query = Type.Object({ lang: Type.Optional(Type.Enum([...languages])) });
const params = Type.Object({ group: Type.String() });
const config = (operation: string) => ({ operation, access: 'public' }) as const;
const htmlType = 'text/html; charset=utf-8';

/** The pages need their style sheet and nothing else. */
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The contract for people to read: an overview and a page for each group of operations. */
export async function referenceRoutes(app: FastifyInstance, { document }: Publication): Promise<void> {
  const style = cacheableText(
    await readFile(new URL('reference.css', import.meta.url), 'utf8'),
    'text/css; charset=utf-8',
  );
  const overview = oncePerLanguage((language) => cacheableText(overviewPage(document(language), language), htmlType));
  const typed = app.withTypeProvider<TypeBoxProvider>();

  app.get('/reference/style.css', { config: config('reference.style') }, (request, reply) =>
    answerCacheable(request, guarded(reply), style),
  );

  typed.get('/reference', { config: config('reference.overview'), schema: { querystring: query } }, (request, reply) =>
    answerCacheable(request, guarded(reply), overview(request.query.lang ?? 'en')),
  );

  typed.get(
    '/reference/:group',
    { config: config('reference.group'), schema: { querystring: query, params } },
    (request, reply) => {
      const language = request.query.lang ?? 'en';
      const text = groupPage(document(language), language, request.params.group);
      if (text === null) throw fault('not_found', { message: 'The reference has no such page.' });
      return answerCacheable(request, guarded(reply), cacheableText(text, htmlType));
    },
  );
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}
