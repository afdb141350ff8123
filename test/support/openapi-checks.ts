import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../../src/http/openapi/model.ts';

/** Checks values against schemas of a document; `pointer` leads to the schema from the document's root. */
export type SchemaChecks = {
  /** What is wrong with the value; empty when it fits. */
  wrongWith: (pointer: string, value: unknown) => string[];
};

export function createSchemaChecks(document: OpenApiDocument): SchemaChecks {
  // That schemas are schemas is the matter of the validator of documents. Code that runs a few times need not be made well.
  const cheap = { meta: false, validateSchema: false, inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020.default({ allErrors: true, strict: false, validateFormats: false, ...cheap });
  ajv.addSchema(document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  const checkOf = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer);
    if (known) return known;
    const check = ajv.compile({ $ref: `document#${pointer}` });
    compiled.set(pointer, check);
    return check;
  };
  return {
    wrongWith(pointer, value) {
      const check = checkOf(pointer);
      if (check(value)) return [];
      return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath || '(whole)'} ${message}`);
    },
  };
}

/** A JSON pointer (RFC 6901) of these steps, as it stands in a URI fragment. */
export function pointerOf(...steps: readonly string[]): string {
  return steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}

/** The value at `#/...` in a document. */
export function pointed(document: object, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
      document,
    );
}
