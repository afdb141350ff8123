import type { OperationObject, ParameterObject } from '../model.ts';
import { type Html, html } from './html.ts';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** JSON with its parts marked, or any other text as it is. */
export function codeBlock(value: unknown): Html {
  if (typeof value === 'string') return html`<pre><code>${value}</code></pre>`;
  const text = JSON.stringify(value, null, 2) ?? '';
  const pieces: Html[] = [];
  let from = 0;
  for (const match of text.matchAll(token)) {
    const [whole, quoted, colon, literal, number] = match;
    pieces.push(html`${text.slice(from, match.index)}`);
    if (quoted !== undefined) pieces.push(html`<span class="${colon ? 'key' : 'text'}">${quoted}</span>${colon}`);
    else pieces.push(html`<span class="value">${literal ?? number}</span>`);
    from = match.index + whole.length;
  }
  return html`<pre><code>${pieces}${text.slice(from)}</code></pre>`;
}

/** A command that makes the request: address and key come from the environment, parameters from their examples. */
export function curl(
  { method, path, operation }: { method: string; path: string; operation: OperationObject },
  parameters: readonly ParameterObject[],
  body: { type: string; value: unknown } | null,
): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (address, { name, schema }) => address.replace(`{${name}}`, exampleOf(schema.examples) ?? `{${name}}`),
      path,
    );
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}"$FANFOLD${filled}"`];
  if (operation.security.some((way) => 'apiKey' in way)) lines.push('-H "Authorization: Bearer $FANFOLD_KEY"');
  else if (operation.security.length > 0)
    lines.push('-b "$FANFOLD_COOKIE"', ...(method === 'GET' ? [] : ['-H "x-fnf-csrf: $FANFOLD_CSRF"']));
  if (body) lines.push(`-H "Content-Type: ${body.type}"`, ...dataOf(body));
  return lines.join(' \\\n  ');
}

function dataOf({ type, value }: { type: string; value: unknown }): string[] {
  if (type !== 'application/json') return ['--data-binary @FILE'];
  return value === undefined ? [] : [`-d '${JSON.stringify(value, null, 2).replaceAll("'", "'\\''")}'`];
}

function exampleOf(examples: unknown): string | undefined {
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return typeof first === 'string' ? encodeURIComponent(first) : undefined;
}
