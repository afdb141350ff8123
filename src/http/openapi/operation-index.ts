import { isFields } from '#kernel';
import type { Language, OpenApiDocument, OperationObject } from './model.ts';

type IndexRow = {
  operation_id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  /** How callers prove who they are; empty for a public operation. */
  access: string[];
  document: string;
};

export type OperationIndex = { openapi: string; version: string; operations: IndexRow[] };

type Entry = { method: string; path: string; operation: OperationObject };

/** All operations of a document, in its order. */
export function operationsOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

export function indexOf(document: OpenApiDocument, language: Language): OperationIndex {
  return {
    openapi: document.openapi,
    version: document.info.version,
    operations: operationsOf(document).map(({ method, path, operation }) => ({
      operation_id: operation.operationId,
      method,
      path,
      tag: operation.tags.join(),
      summary: operation.summary,
      access: [...new Set(operation.security.flatMap((way) => Object.keys(way).filter((name) => name !== 'csrf')))],
      document: `/api/v1/operations/${operation.operationId}${language === 'en' ? '' : `?lang=${language}`}`,
    })),
  };
}

/** A document of one operation that stands alone: with the components that it needs and no others. Null: unknown. */
export function documentOf(document: OpenApiDocument, operationId: string): OpenApiDocument | null {
  const found = operationsOf(document).find(({ operation }) => operation.operationId === operationId);
  if (!found) return null;
  const { method, path, operation } = found;
  const { summary, ...info } = document.info;
  return {
    ...document,
    info: {
      ...info,
      title: `${info.title}: ${operation.operationId}`,
      summary: operation.summary,
      description: summary,
    },
    tags: document.tags.filter(({ name }) => operation.tags.includes(name)),
    paths: { [path]: { [method.toLowerCase()]: operation } },
    components: componentsFor(operation, document.components),
  };
}

function componentsFor(operation: OperationObject, all: OpenApiDocument['components']): OpenApiDocument['components'] {
  const needed = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isFields(value)) {
      if (typeof value.$ref === 'string' && !needed.has(value.$ref)) {
        needed.add(value.$ref);
        visit(pointed(all, value.$ref));
      }
      for (const item of Object.values(value)) visit(item);
    }
  };
  visit(operation);
  for (const name of operation.security.flatMap(Object.keys)) needed.add(`#/components/securitySchemes/${name}`);
  const kept = Object.entries(all).map(([kind, components]) => [
    kind,
    Object.fromEntries(Object.entries(components).filter(([name]) => needed.has(`#/components/${kind}/${name}`))),
  ]);
  return Object.fromEntries(kept.filter(([, components]) => Object.keys(components ?? {}).length > 0));
}

function pointed(components: OpenApiDocument['components'], ref: string): unknown {
  const [, , kind = '', name = ''] = ref.split('/');
  const group: unknown = Reflect.get(components, kind);
  if (!isFields(group) || !(name in group)) throw new Error(`${ref} points nowhere. This is a bug.`);
  return group[name];
}
