import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import { fault } from '#kernel';
import { answerCacheable, type CacheableText, cacheableText } from '../cached-answer.ts';
import type { TypeBoxProvider } from '../validation.ts';
import { type Language, languages } from './model.ts';

const query = Type.Object({ lang: Type.Optional(Type.Enum([...languages])) });
const params = Type.Object({ asset: Type.String() });
const config = (operation: string) => ({ operation, access: 'public' }) as const;

/** Swagger UI sets styles by itself and has its icons in its style sheet. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const script = 'text/javascript; charset=utf-8';

const start = `const language = document.documentElement.dataset.language;
SwaggerUIBundle({
  url: 'api/v1/openapi.' + language + '.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  supportedSubmitMethods: [],
});
`;

/** The files of the page by their name. They are read when they are first asked for. */
const assets: Readonly<Record<string, () => Promise<CacheableText>>> = {
  'swagger-ui.css': () => packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  'swagger-ui-bundle.js': () => packaged('swagger-ui-bundle.js', script),
  'start.js': async () => cacheableText(start, script),
};

async function packaged(name: string, type: string): Promise<CacheableText> {
  const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  return cacheableText(await readFile(file, 'utf8'), type);
}

/** The contract for people to read, shown by Swagger UI. Nothing is loaded from elsewhere. */
export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  const loaded = new Map<string, CacheableText>();
  const typed = app.withTypeProvider<TypeBoxProvider>();

  typed.get('/reference', { config: config('reference.page'), schema: { querystring: query } }, (request, reply) =>
    answerCacheable(
      request,
      guarded(reply),
      cacheableText(page(request.query.lang ?? 'en'), 'text/html; charset=utf-8'),
    ),
  );

  typed.get('/reference/:asset', { config: config('reference.asset'), schema: { params } }, async (request, reply) => {
    const name = request.params.asset;
    const load = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!load) throw fault('not_found', { message: 'There is no such file.' });
    const text = loaded.get(name) ?? (await load());
    loaded.set(name, text);
    return answerCacheable(request, guarded(reply), text);
  });
}

function page(language: Language): string {
  return `<!doctype html>
<html lang="${language === 'en' ? 'en' : 'zh-Hans'}" data-language="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${language === 'en' ? 'Fanfold API reference' : 'Fanfold API 参考'}</title>
<link rel="stylesheet" href="reference/swagger-ui.css">
<script src="reference/swagger-ui-bundle.js" defer></script>
<script src="reference/start.js" defer></script>
</head>
<body>
<nav><a href="?lang=en" hreflang="en">English</a> <a href="?lang=zh" hreflang="zh">简体中文</a></nav>
<main id="reference"></main>
</body>
</html>
`;
}

function guarded(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}
