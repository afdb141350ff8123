export const exampleLanguages = [
  { id: 'curl', name: 'curl' },
  { id: 'typescript', name: 'TypeScript' },
  { id: 'python', name: 'Python' },
] as const;

type ExampleLanguage = (typeof exampleLanguages)[number]['id'];

type ExampleOptions = { kind: 'text' | 'embedding'; baseUrl: string; model: string };

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

const quoted = (text: string): string => JSON.stringify(text);

function curl({ kind, baseUrl, model }: ExampleOptions): string {
  const [path, body] =
    kind === 'text'
      ? ['chat/completions', { model, messages: [{ role: 'user', content: 'Hello! Who are you?' }] }]
      : ['embeddings', { model, input: ['fold a paper fan'], input_type: 'query' }];
  return `curl ${baseUrl}/${path} \\
  -H "Authorization: Bearer $FANFOLD_KEY" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
}

function typescript({ kind, baseUrl, model }: ExampleOptions): string {
  const call =
    kind === 'text'
      ? `const answer = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello! Who are you?' }],
});
console.log(answer.choices[0]?.message.content);`
      : `const { data } = await client.embeddings.create({ model: ${quoted(model)}, input: ['fold a paper fan'] });
console.log(data[0]?.embedding.length);`;
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrl)},
  apiKey: process.env.FANFOLD_KEY,
});
${call}`;
}

function python({ kind, baseUrl, model }: ExampleOptions): string {
  const call =
    kind === 'text'
      ? `answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello! Who are you?"}],
)
print(answer.choices[0].message.content)`
      : `answer = client.embeddings.create(model=${quoted(model)}, input=["fold a paper fan"])
print(len(answer.data[0].embedding))`;
  return `import os
from openai import OpenAI

client = OpenAI(
    base_url=${quoted(baseUrl)},
    api_key=os.environ["FANFOLD_KEY"],
)
${call}`;
}
