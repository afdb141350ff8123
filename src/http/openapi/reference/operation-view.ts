import { isFields } from '#kernel';
import {
  type HeaderObject,
  isRef,
  type JsonSchema,
  type Language,
  type MediaType,
  type OpenApiDocument,
  type OperationObject,
  type ParameterObject,
  type Ref,
  type ResponseObject,
} from '../model.ts';
import { codeBlock, curl } from './code.ts';
import { createFieldsView, type FieldsView } from './fields-view.ts';
import { type Html, html } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { limitsOf, typeOf } from './schema-words.ts';
import { type Word, word } from './words.ts';

export type Endpoint = { method: string; path: string; operation: OperationObject };

type Scene = { document: OpenApiDocument; language: Language; fieldsOf: FieldsView; say: (name: Word) => string };

/** Statuses that any request may come to; they are explained once. */
const everywhere = ['408', '415', '431', '500', '503'];

/** Everything about one operation. */
export function operationView(endpoint: Endpoint, document: OpenApiDocument, language: Language): Html {
  const scene: Scene = {
    document,
    language,
    fieldsOf: createFieldsView(document.components.schemas ?? {}, language),
    say: (name) => word(name, language),
  };
  const { method, path, operation } = endpoint;
  return html`<section class="operation" id="${operation.operationId}">
<div class="prose">
<h2><a class="anchor" href="#${operation.operationId}">${operation.summary}</a></h2>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
<p class="access">${scene.say('access')}: ${accessOf(operation, scene)} · <a href="/api/v1/operations/${operation.operationId}${language === 'en' ? '' : `?lang=${language}`}">${scene.say('document')}</a></p>
${operation.description ? markdown(operation.description) : null}
${parametersView(operation, scene)}
${bodyView(operation, scene)}
${answersView(operation, scene)}
</div>
<div class="samples">${samplesView(endpoint, scene)}</div>
</section>`;
}

/** Long paths may break behind a slash. */
export function breakable(path: string): Html {
  return html`${path.split('/').map((part, at) => html`${at > 0 ? html`/<wbr>` : ''}${part}`)}`;
}

function accessOf({ security }: OperationObject, { say }: Scene): string {
  const ways = security.map((way) => say('apiKey' in way ? 'apiKey' : 'session'));
  return ways.length === 0 ? say('public') : ways.join(say('or'));
}

function parametersOf({ parameters = [] }: OperationObject, { document }: Scene): ParameterObject[] {
  return parameters.flatMap((parameter) => found(parameter, document.components.parameters) ?? []);
}

function parametersView(operation: OperationObject, scene: Scene): Html | null {
  const parameters = parametersOf(operation, scene);
  if (parameters.length === 0) return null;
  return html`<h3>${scene.say('parameters')}</h3><dl class="fields">${parameters.map(
    (parameter) =>
      html`<div class="field"><dt><code class="name">${parameter.name}</code> <span class="type">${typeOf(parameter.schema, scene.language)}</span> <span class="note">· ${scene.say(parameter.in)}${parameter.required ? null : html`, ${scene.say('optional')}`}</span></dt><dd>${parameter.description ? html`<p>${inline(parameter.description)}</p>` : null}${limitsOf(parameter.schema, scene.language)}</dd></div>`,
  )}</dl>`;
}

function bodyView({ requestBody }: OperationObject, scene: Scene): Html | null {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (!requestBody || !content?.schema) return null;
  return html`<h3>${scene.say('body')} <span class="note">${type}${requestBody.required ? null : html`, ${scene.say('optional')}`}</span></h3>${scene.fieldsOf(content.schema)}`;
}

function answersView(operation: OperationObject, scene: Scene): Html {
  const answers = Object.entries(operation.responses).flatMap(([status, answer]) => {
    const response = found(answer, scene.document.components.responses);
    return response ? [{ status, response }] : [];
  });
  const good = answers.filter(({ status }) => Number(status) < 400);
  const bad = answers.filter(({ status }) => Number(status) >= 400 && !everywhere.includes(status));
  const common = answers.filter(({ status }) => everywhere.includes(status));
  return html`<h3>${scene.say('answers')}</h3>
${good.map(({ status, response }) => goodAnswer(status, response, scene))}
<h3>${scene.say('errors')}</h3>
${bad.map(({ status, response }) => errorAnswer(status, response))}
<details class="everywhere"><summary>${scene.say('everywhere')} ${common.map(({ status }) => status).join(', ')}</summary>${common.map(({ status, response }) => errorAnswer(status, response))}</details>`;
}

function goodAnswer(status: string, { description, headers = {}, content = {} }: ResponseObject, scene: Scene): Html {
  const named = Object.entries(headers).filter(([name]) => name !== 'x-request-id');
  return html`<div class="answer"><p><span class="status good">${status}</span> ${inline(description)}</p>${Object.entries(
    content,
  ).map(([type, media]) => mediaView(type, media, scene))}${
    named.length === 0
      ? null
      : html`<details><summary>${scene.say('headers')}</summary><dl class="fields">${named.map(([name, header]) => headerView(name, header, scene))}</dl></details>`
  }</div>`;
}

function mediaView(type: string, media: MediaType, { fieldsOf, say }: Scene): Html | null {
  const event = eventData(media);
  const fields = event ? fieldsOf(event) : media.schema ? fieldsOf(media.schema) : null;
  if (!fields) return html`<p class="note">${type}</p>`;
  return html`<details><summary>${say(event ? 'event' : 'fields')} <span class="note">${type}</span></summary>${fields}</details>`;
}

/** What one event of a stream holds. */
function eventData({ schema }: MediaType): JsonSchema | null {
  const data = isFields(schema?.properties) ? schema.properties.data : null;
  const [json]: unknown[] = isFields(data) && Array.isArray(data.anyOf) ? data.anyOf : [];
  return isFields(json) && isFields(json.contentSchema) ? json.contentSchema : null;
}

function headerView(name: string, header: HeaderObject | Ref, { document }: Scene): Html {
  const description = found(header, document.components.headers)?.description ?? '';
  return html`<div class="field"><dt><code class="name">${name}</code></dt><dd><p>${inline(description)}</p></dd></div>`;
}

function errorAnswer(status: string, { description, content = {} }: ResponseObject): Html {
  const examples = Object.values(content['application/json']?.examples ?? {});
  return html`<details class="answer"><summary><span class="status bad">${status}</span> ${inline(codesOf(examples))}</summary>${markdown(description)}${examples.map(({ value }) => codeBlock(value))}</details>`;
}

/** The codes of the examples, each once. */
function codesOf(examples: readonly { value: unknown }[]): string {
  const codes = examples.map(({ value }) => String(Reflect.get(Object(Reflect.get(Object(value), 'error')), 'code')));
  return [...new Set(codes)].map((code) => `\`${code}\``).join(' ');
}

function samplesView(endpoint: Endpoint, scene: Scene): Html {
  const { operation } = endpoint;
  const [[type, body] = []] = Object.entries(operation.requestBody?.content ?? {});
  const bodies = body?.examples
    ? Object.values(body.examples)
    : [{ summary: scene.say('request'), value: body?.example }];
  const parameters = parametersOf(operation, scene);
  return html`${bodies.map(
    ({ summary, value }) =>
      html`<figure><figcaption>${summary ?? scene.say('request')}</figcaption>${codeBlock(curl(endpoint, parameters, type === undefined ? null : { type, value }))}</figure>`,
  )}${Object.entries(operation.responses).flatMap(([status, answer]) =>
    isRef(answer) || Number(status) >= 400
      ? []
      : Object.entries(answer.content ?? {}).map(
          ([type, { example }]) =>
            html`<figure><figcaption>${scene.say('answer')} ${status} <span class="note">${type}</span></figcaption>${codeBlock(example)}</figure>`,
        ),
  )}`;
}

function found<Value extends object>(
  value: Value | Ref,
  components: Record<string, Value> | undefined,
): Value | undefined {
  return isRef(value) ? components?.[value.$ref.split('/').at(-1) ?? ''] : value;
}
