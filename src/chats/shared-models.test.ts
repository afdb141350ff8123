import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

/** Somebody with a model `lent` for others, and a guest. */
async function scene() {
  const [owner, guest] = [await someone(server), await someone(server)];
  await owner.alias('lent');
  const { database } = server.db;
  const [model] = await database.query<{ id: string }>(
    `update hosted_models set visibility = 'shared' where project_id = $1 and alias = 'lent' returning id`,
    [owner.projectId],
  );
  const share = async () => {
    const id = newId('shr');
    await database.query(
      'insert into model_shares (id, hosted_model_id, project_id, account_id) values ($1, $2, $3, $4)',
      [id, model?.id, owner.projectId, guest.accountId],
    );
    return () => database.query('delete from model_shares where id = $1', [id]);
  };
  return { owner, guest, share, address: `${owner.slug}/chat/lent` };
}

test('a model that is shared with me answers in a chat of mine, is paid by me, and its conversation stays mine', async () => {
  const { owner, guest, share, address } = await scene();
  await share();
  const chatId = await guest.newChat({ model: address });
  const said = await guest.say(chatId, 'What is 2 + 3?');
  assert.equal(said.status, 201, said.text);
  const { message } = said.json;
  assert.deepEqual([message.state, message.request.model], ['complete', address]);
  const rows = await server.db.database.query<Record<string, unknown>>(
    `select account_id, project_id, model_requested as model, micro < 0 as paid from ledger where request_id = $1`,
    [message.request_id],
  );
  assert.deepEqual(rows, [{ account_id: guest.accountId, project_id: owner.projectId, model: 'lent', paid: true }]);
  const path = `/api/projects/${owner.slug}/chat/openai/v1/chat/completions`;
  const same = await guest.ask('POST', path, { ...message.request, model: 'lent', stream: false });
  assert.equal(same.json.choices[0].message.content, message.content);
  assert.equal((await owner.ask('GET', `chats/${chatId}`)).status, 404);
  assert.equal((await owner.ask('GET', 'saved-calls')).json.total_count, 0);
});

test('without a share, and after it ended, the next message is refused in words that tell nothing of the model', async () => {
  const { owner, guest, share, address } = await scene();
  const chatId = await guest.newChat({ model: address });
  const refusal = async () => {
    const { status, json } = await guest.say(chatId, 'Hello!');
    return [status, json.error.code, json.error.param, json.error.message];
  };
  const unshared = await refusal();
  assert.deepEqual(unshared.slice(0, 3), [404, 'model_not_found', 'model']);
  assert.match(unshared[3], /not shared with you now/);
  const end = await share();
  assert.equal((await guest.say(chatId, 'Hello!')).status, 201);
  // Another model of the same project, which is not shared.
  const kept = `${owner.slug}/chat/chat`;
  const refusedToo = await guest.say(await guest.newChat({ model: kept }), 'Hello!');
  assert.equal(refusedToo.json.error.message, unshared[3]);
  await end();
  assert.deepEqual(await refusal(), unshared);
  const [, , ...rest] = await guest.messages(chatId);
  assert.deepEqual(rest, []);
  await guest.ask('PATCH', `chats/${chatId}`, { model: `${address}-not-there` });
  assert.deepEqual(await refusal(), unshared);
});

test('a model of my own project keeps its name, also where it looks like an address', async () => {
  const { owner, guest, share, address } = await scene();
  await share();
  await guest.alias(address);
  const said = await guest.say(await guest.newChat({ model: address }), 'Hello!');
  assert.equal(said.status, 201, said.text);
  const rows = await server.db.database.query<{ project: string }>(
    'select project_id as project from ledger where request_id = $1',
    [said.json.message.request_id],
  );
  assert.deepEqual(rows, [{ project: guest.projectId }]);
  assert.notEqual(guest.projectId, owner.projectId);
});
