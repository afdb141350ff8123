import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { type HostedServer, refusalOf, startHostedServer, tinyChat, untilState } from './hosted-server.fixture.ts';

let server: HostedServer;
before(async () => {
  server = await startHostedServer();
});
after(() => server?.stop());

const names = ['claude-sonnet-4-5', 'claude-haiku-4-5-20251001', 'gpt-5.1-codex', 'org/model:tag', 'a/b/c'];

test('one base model serves under each name that clients ask for, and is found by it in a path', async () => {
  const ada = await server.account();
  const project = await ada.project();
  const client = new OpenAI({ baseURL: server.app.origin + project.compat, apiKey: ada.key });
  for (const alias of names) {
    const { id } = await project.create({ alias, target: tinyChat, activate: true });
    await untilState(ada, project, { id, state: 'active' });
    const call = { model: alias, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 1 };
    const answer = await ada.ask('POST', `${project.compat}/chat/completions`, call);
    assert.deepEqual([answer.status, answer.body['model']], [200, alias]);
    assert.equal((await client.models.retrieve(alias)).id, alias);
    for (const path of [alias, encodeURIComponent(alias), `${alias}?x=/`])
      assert.equal((await ada.ask('GET', `${project.compat}/models/${path}`)).body['id'], alias, path);
  }
  assert.deepEqual((await client.models.list()).data.map(({ id }) => id).toSorted(), names.toSorted());
});

test('what is no name of a model is none with slashes either', async () => {
  const ada = await server.account();
  const project = await ada.project();
  for (const path of ['org/other', 'org', 'org/model/tag', 'a%2Fb/c'])
    assert.deepEqual(refusalOf(await ada.ask('GET', `${project.compat}/models/${path}`)), [
      404,
      'model_not_found',
      'model',
    ]);
  for (const path of ['', 'org/', 'org//model'])
    assert.deepEqual(refusalOf(await ada.ask('GET', `${project.compat}/models/${path}`)), [404, 'not_found', null]);
  for (const alias of [
    'fanfold-tiny-chat',
    'training-job#1',
    'org/',
    '/model',
    'org//model',
    'org/../model',
    'Org/Model',
  ]) {
    const refused = await ada.ask('POST', project.path, { alias, target: tinyChat });
    assert.deepEqual(refusalOf(refused), [400, 'invalid_request', 'alias'], alias);
  }
});
