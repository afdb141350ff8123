import { type CacheableText, cacheableText } from '../cached-answer.ts';
import type { RegisteredRoute } from '../route-table.ts';
import { writeDocument } from './document.ts';
import type { Language, OpenApiDocument } from './model.ts';
import { documentOf, indexOf, operationsOf } from './operation-index.ts';
import { yamlText } from './yaml-text.ts';

/** Everything that is published about the routes, as texts. Made when it is first asked for: routes do not change. */
export type Publication = {
  document: (language: Language) => OpenApiDocument;
  json: (language: Language) => CacheableText;
  yaml: (language: Language) => CacheableText;
  index: (language: Language) => CacheableText;
  operationIds: () => string[];
  /** The document of one operation; null when there is no such operation. */
  operation: (language: Language, operationId: string) => CacheableText | null;
};

export function createPublication(rows: readonly RegisteredRoute[]): Publication {
  const document = oncePerLanguage((language) => writeDocument(rows, language));
  return {
    document,
    json: oncePerLanguage((language) => jsonOf(document(language))),
    yaml: oncePerLanguage((language) => cacheableText(yamlText(document(language)), 'application/yaml; charset=utf-8')),
    index: oncePerLanguage((language) => jsonOf(indexOf(document(language), language))),
    operationIds: () => operationsOf(document('en')).map(({ operation }) => operation.operationId),
    operation(language, operationId) {
      const alone = documentOf(document(language), operationId);
      return alone && jsonOf(alone);
    },
  };
}

function jsonOf(content: object): CacheableText {
  return cacheableText(`${JSON.stringify(content, null, 2)}\n`, 'application/json; charset=utf-8');
}

function oncePerLanguage<Value>(make: (language: Language) => Value): (language: Language) => Value {
  const made = new Map<Language, Value>();
  return (language) => {
    const value = made.get(language) ?? make(language);
    made.set(language, value);
    return value;
  };
}
