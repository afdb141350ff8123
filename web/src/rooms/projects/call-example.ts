import type { ModelKind } from '../../ui/kind.tsx';

export const exampleLanguages = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
] as const;

type ExampleLanguage = (typeof exampleLanguages)[number]['id'];

type ExampleOptions = { kind: ModelKind; baseUrl: string; model: string };

/** A first call in each language, with the key from the environment. */
export function exampleOf(facts: ExampleOptions, language: ExampleLanguage): string {
  switch (language) {
    case 'curl':
      return curl(facts);
    case 'typescript':
      return typescript(facts);
    case 'python':
      return python(facts);
  }
}

const calls: Readonly<Record<ModelKind, { path: string; fields: object }>> = {
  text: { path: 'chat/completions', fields: { messages: [{ role: 'user', content: 'Hello! Who are you?' }] } },
  embedding: { path: 'embeddings', fields: { input: ['fold a paper fan'], input_type: 'query' } },
  reranker: { path: 'rerank', fields: { query: 'fold a paper fan', documents: ['Paper fans', 'Ceiling fans'] } },
};

const quoted = (text: string): string => JSON.stringify(text);

function curl({ kind, baseUrl, model }: ExampleOptions): string {
  const { path, fields } = calls[kind];
  const body = { model, ...fields };
  return `curl ${baseUrl}/${path} \\
  -H "Authorization: Bearer $FANFOLD_KEY" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
}

function typescript({ kind, baseUrl, model }: ExampleOptions): string {
  const call = {
    text: `const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello! Who are you?' }],
});
console.log(answer.choices[0]?.message.content);`,
    embedding: `const { data } = await client.embeddings.create({ model: ${quoted(model)}, input: ['fold a paper fan'] });
console.log(data[0]?.embedding.length);`,
    reranker: `const body = { model: ${quoted(model)}, query: 'fold a paper fan', documents: ['Paper fans', 'Ceiling fans'] };
console.log(await client.post('/rerank', { body }));`,
  }[kind];
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrl)},
  apiKey: process.env.FANFOLD_KEY,
});
${call}`;
}

function python({ kind, baseUrl, model }: ExampleOptions): string {
  const call = {
    text: `answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello! Who are you?"}],
)
print(answer.choices[0].message.content)`,
    embedding: `answer = client.embeddings.create(model=${quoted(model)}, input=["fold a paper fan"])
print(len(answer.data[0].embedding))`,
    reranker: `body = {"model": ${quoted(model)}, "query": "fold a paper fan", "documents": ["Paper fans", "Ceiling fans"]}
print(client.post("/rerank", cast_to=object, body=body))`,
  }[kind];
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url=${quoted(baseUrl)},
    api_key=os.environ["FANFOLD_KEY"],
)
${call}`;
}
