import assert from 'node:assert/strict';
import { bearer, seedProject } from '#test/accounts.ts';
import { type Stage, seedOwner } from './stage.ts';

export type Ask = (method: string, path: string, body?: unknown) => Promise<ReturnType<typeof JSON.parse>>;

/** Somebody with a project who asks the interface directly, for what a test begins and ends with. */
export async function someoneWithProject(stage: Stage, kind: 'text' | 'embedding') {
  const owner = await seedOwner(stage.database);
  const { slug, projectId } = await seedProject(stage.database, {
    accountId: owner.accountId,
    name: 'Help desk',
    kind,
  });
  const root = `${stage.origin}/api/v1/projects/${owner.slug}/${slug}`;
  const ask: Ask = async (method, path, body) => {
    const response = await fetch(root + path, {
      method,
      headers: { ...bearer(owner.key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  const createDataset = async (name = 'Answers'): Promise<string> => (await ask('POST', '/datasets', { name })).id;
  return { ...owner, ask, createDataset, project: slug, projectId, pages: `/projects/${owner.slug}/${slug}` };
}

/** The same with a dataset of these examples. */
export async function someoneWithDataset(stage: Stage, examples: readonly object[] = []) {
  const someone = await someoneWithProject(stage, 'text');
  const id = await someone.createDataset();
  const { results = [] } =
    examples.length > 0 ? await someone.ask('POST', `/datasets/${id}/examples`, { examples }) : {};
  return { ...someone, id, results };
}

/** Asks the tiny model as the owner, in a project that keeps such calls from now on. */
export async function saveCalls(
  { origin }: Stage,
  { ask, key, pages }: Pick<Awaited<ReturnType<typeof someoneWithProject>>, 'ask' | 'key' | 'pages'>,
  ...questions: string[]
): Promise<void> {
  await ask('PATCH', '', { inference_auto_save: true });
  for (const content of questions) {
    const response = await fetch(`${origin}/api${pages}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'fanfold-tiny-chat',
        messages: [{ role: 'user', content }],
        reasoning_effort: 'none',
        max_tokens: 16,
      }),
    });
    assert.equal(response.status, 200, await response.text());
  }
}

export const conversation = (question: string, answer = `The answer to ${question}`) => ({
  text: {
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  },
});

/** Many examples at once, as an import leaves them. */
export async function fillDataset(stage: Stage, datasetId: string, count: number): Promise<void> {
  const json = `'{"messages":[{"content":"Question ' || n || '","role":"user"},{"content":"Answer ' || n || '","role":"assistant"}],"tools":null}'`;
  await stage.database.query(
    `insert into example_contents (dataset_id, hash, content)
     select $1, sha256(convert_to(${json}, 'UTF8')), ${json} from generate_series(1, $2::integer) n`,
    [datasetId, count],
  );
  await stage.database.query(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, tokens, valid)
     select $1, 'ex_' || lpad(n::text, 26, '0'), 1, sha256(convert_to(${json}, 'UTF8')), 80, 'train', 'import', 12, true
       from generate_series(1, $2::integer) n`,
    [datasetId, count],
  );
  await stage.database.query(
    `insert into example_counts (dataset_id, split, origin, valid, examples, tokens, bytes)
     values ($1, 'train', 'import', true, $2, $2 * 12, $2 * 80)`,
    [datasetId, count],
  );
  await stage.database.query('update datasets set head_seq = 1 where id = $1', [datasetId]);
}
