import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';
import { excerptOf } from './search.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

async function talker() {
  const person = await someone(server);
  const find = async (q: string) => {
    const { status, text, json } = await person.ask('GET', `chats?q=${encodeURIComponent(q)}`);
    assert.equal(status, 200, text);
    assert.equal(json.total_count, json.data.length);
    return json.data;
  };
  const ids = async (q: string) => (await find(q)).map(({ id }: { id: string }) => id);
  return { ...person, find, ids };
}

test('chats are found by words of what was said and answered, with the place, and no longer when it was edited', async () => {
  const { ask, newChat, say, find, ids } = await talker();
  const chatId = await newChat({ title: 'Lamps' });
  const said = await say(chatId, 'Where is the aubergine of my neighbour? 我的茄子在哪里？');
  assert.equal(said.status, 201, said.text);
  const other = await newChat({ title: 'Aubergines' });
  const { user_message: question, message: answer } = said.json;
  const [found] = await find('neighbour aubergine');
  assert.deepEqual([found.id, found.match.message_id], [chatId, question.id]);
  assert.match(found.match.excerpt, /the aubergine of my neighbour/);
  assert.deepEqual(await ids('AUBERG'), [other, chatId]);
  assert.deepEqual(await ids('茄子'), [chatId]);
  assert.deepEqual(await ids('aubergine zebra'), []);
  assert.deepEqual(await ids('amp'), [chatId]);
  const words = /[a-z]{4,}/i.exec(answer.content)?.[0];
  if (words) assert.ok((await ids(words)).includes(chatId), answer.content);
  await say(chatId, 'And the courgette?', { replace_message_id: question.id });
  assert.deepEqual(await ids('neighbour'), []);
  assert.deepEqual(await ids('courgette'), [chatId]);
  await ask('DELETE', `chats/${chatId}`);
  assert.deepEqual(await ids('courgette'), []);
});

test('nobody finds chats of others, and a text without words finds titles only', async () => {
  const [ada, bob] = [await talker(), await talker()];
  const chatId = await ada.newChat({ title: 'What?!' });
  await ada.say(chatId, 'The word is kohlrabi.');
  assert.deepEqual([await ada.ids('kohlrabi'), await bob.ids('kohlrabi')], [[chatId], []]);
  assert.deepEqual([await ada.ids('?!'), await ada.ids('%'), await ada.ids(`'`)], [[chatId], [], []]);
});

test('a search reads an index, and not the messages of everybody', async () => {
  const { projectId } = await talker();
  const { database } = server.db;
  await database.query(
    `insert into chats (id, project_id, title, search_text, params) select 'cht_many' || n, $1, '', '', '{}' from generate_series(1, 200) n`,
    [projectId],
  );
  await database.query(
    `insert into chat_messages (id, chat_id, seq, role, content, state)
     select 'msg_many' || n, 'cht_many' || (n % 200 + 1), n / 200 + 1, 'user', 'word' || n, 'complete' from generate_series(1, 20000) n`,
  );
  await database.query(
    `insert into chat_words (message_id, chat_id, seq, words)
     select id, chat_id, seq, array_to_tsvector(array[right($1, 4) || content, right($1, 4) || 'common']) from chat_messages
      where id like 'msg_many%'`,
    [projectId],
  );
  await database.query('analyze chat_words');
  const rows = await database.query<Record<string, string>>(
    `explain select chat_id from chat_words where words @@ $1::tsquery`,
    [`'${projectId.slice(-4)}word777'`],
  );
  const plan = rows.flatMap((row) => Object.values(row)).join('\n');
  assert.match(plan, /chat_words_by_word/);
  assert.doesNotMatch(plan, /Seq Scan/);
});

test('an excerpt begins before the first word that was found, and is short', () => {
  const text = `${'far '.repeat(100)}needle ${'away '.repeat(100)}`;
  const excerpt = excerptOf(text, [{ word: 'needle', begins: false }]);
  assert.match(excerpt, /^… (far )+needle away .* …$/);
  assert.ok(excerpt.length < 180, excerpt);
  assert.equal(excerptOf('Short\n text', [{ word: 'text', begins: false }]), 'Short text');
  assert.equal(excerptOf('', []), '');
});
