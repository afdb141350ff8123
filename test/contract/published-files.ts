import { createPublication, type RegisteredRoute } from '#http';

/** The files of `docs/openapi` by their path in it: what the program serves, for those who do not run it. */
export function publishedFiles(rows: readonly RegisteredRoute[]): Map<string, string> {
  const publication = createPublication(rows);
  const files = new Map<string, string>();
  for (const language of ['en', 'zh'] as const) {
    files.set(`openapi.${language}.json`, publication.json(language).text);
    files.set(`openapi.${language}.yaml`, publication.yaml(language).text);
  }
  files.set('operations/index.json', publication.index('en').text);
  for (const operationId of publication.operationIds())
    files.set(`operations/${operationId}.json`, publication.operation('en', operationId)?.text ?? '');
  return files;
}
