import { holdsExact, isExactNumber } from '../../api/exact-json.ts';

export type RequestCodeOptions = {
  baseUrl: string;
  path: 'chat/completions' | 'embeddings';
  body: Record<string, unknown>;
};

/** The same request in three languages. */
export function codeOf(facts: RequestCodeOptions): { id: string; name: string; code: string }[] {
  return [
    { id: 'curl', name: 'curl', code: curl(facts) },
    { id: 'typescript', name: 'TypeScript', code: typescript(facts) },
    { id: 'python', name: 'Python', code: python(facts) },
  ];
}

function curl({ baseUrl, path, body }: RequestCodeOptions): string {
  const quoted = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl${body.stream === true ? ' -N' : ''} ${baseUrl}/${path} \\
  -H "Authorization: Bearer $FANFOLD_KEY" -H 'Content-Type: application/json' \\
  -d '${quoted}'`;
}

function typescript({ baseUrl, path, body }: RequestCodeOptions): string {
  const json = JSON.stringify(body, null, 2);
  const request = holdsExact(body) ? postCall(json, body.stream === true) : `client.chat.completions.create(${json})`;
  const call =
    path === 'embeddings'
      ? `const { data } = await client.embeddings.create(${json});
console.log(data.map(({ embedding }) => embedding));`
      : body.stream === true
        ? `const stream = await ${request};
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`
        : `const answer = await ${request};
console.log(answer.choices[0]?.message);`;
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: process.env.FANFOLD_KEY,
});
${call}`;
}

/** A JavaScript object would round numbers of the body and list keys that are numbers first. */
function postCall(json: string, isStream: boolean): string {
  return `client.post('/chat/completions', {
  stream: ${isStream},
  headers: { 'Content-Type': 'application/json' },
  // As text: an object would lose digits of numbers, or the order of names.
  body: \`${json.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')}\`,
})`;
}

function python({ baseUrl, path, body }: RequestCodeOptions): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${literal(value, '    ')},\n`);
  const list = `(\n${fields.join('')})`;
  const call =
    path === 'embeddings'
      ? `answer = client.embeddings.create${list}
print([item.embedding for item in answer.data])`
      : body.stream === true
        ? `for chunk in client.chat.completions.create${list}:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`
        : `answer = client.chat.completions.create${list}
print(answer.choices[0].message)`;
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=os.environ["FANFOLD_KEY"],
)
${call}`;
}

/** A JSON value in Python. JSON strings are Python strings, apart from escaped surrogate pairs. */
function literal(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object' || isExactNumber(value)) return JSON.stringify(value);
  const deeper = `${indent}    `;
  if (Array.isArray(value)) {
    const items = value.map((item) => `${deeper}${literal(item, deeper)},\n`);
    return items.length === 0 ? '[]' : `[\n${items.join('')}${indent}]`;
  }
  const fields = Object.entries(value).map(
    ([name, item]) => `${deeper}${JSON.stringify(name)}: ${literal(item, deeper)},\n`,
  );
  return fields.length === 0 ? '{}' : `{\n${fields.join('')}${indent}}`;
}
