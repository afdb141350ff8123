import { newId } from '#kernel';
import { modelCall, ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { textDataset, withBody } from '../scene.ts';
import { canary } from '../world.ts';

/** A chat of the cell's project, for this request alone; written directly, because some of its owners may not ask. */
async function chat({ world, place }: Scene) {
  const chatId = newId('cht');
  await world.database.query(
    `insert into chats (id, project_id, title, search_text, model, params, message_count, last_seq)
     values ($1, $2, $3, $3, $4, '{"max_tokens":1,"reasoning_effort":"none"}', 2, 2)`,
    [chatId, place.projectId, `${canary} chat`, place.alias],
  );
  world.secrets.add(chatId);
  return { params: { chatId } };
}

/** The same with an answer in it. */
async function message(scene: Scene) {
  const { params } = await chat(scene);
  const { world } = scene;
  const messageId = newId('msg');
  await world.database.query(
    `insert into chat_messages (id, chat_id, seq, role, content, state, request, finished_at)
     values ($1, $3, 1, 'user', $4, 'complete', null, now()), ($2, $3, 2, 'assistant', $4, 'complete', $5, now())`,
    [
      newId('msg'),
      messageId,
      params.chatId,
      `${canary} words`,
      JSON.stringify({ messages: [{ role: 'user', content: canary }] }),
    ],
  );
  world.secrets.add(messageId);
  return { params: { ...params, messageId } };
}

/** A chat of the stranger in a project of his, which names a model of the owner's private project. */
async function chatOfStranger({ world }: Scene, alias: string) {
  const { private: place, ofStranger } = world.places.text;
  const model = `${place.ownerSlug}/${place.project}/${alias}`;
  const chatId = newId('cht');
  await world.database.query(
    `insert into chats (id, project_id, title, search_text, model, params) values ($1, $2, '', '', $3, '{}')`,
    [chatId, ofStranger.projectId, model],
  );
  return {
    params: { owner: ofStranger.ownerSlug, project: ofStranger.project, chatId },
    body: { content: 'Hello!', stream: false },
  };
}

/** The same with an image. */
async function image(scene: Scene) {
  const { params } = await message(scene);
  const { world, place } = scene;
  const imageId = newId('img');
  await world.database.query(
    `insert into chat_images (id, chat_id, message_id, account_id, position, media_type, data)
     select $1, $2, $3, account_id, 0, 'image/png', convert_to($5, 'UTF8') from projects where id = $4`,
    [imageId, params.chatId, params.messageId, place.projectId, canary],
  );
  world.secrets.add(imageId);
  return { params: { chatId: params.chatId, imageId } };
}

export const rows: Row[] = [
  {
    operation: 'chats.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await chat(scene);
      return { query: { limit: '100' } };
    },
  },
  { operation: 'chats.create', expected: ownerOnlyChange('201'), request: () => ({ body: { title: 'Made' } }) },
  { operation: 'chats.read', expected: ownerOnlyRead(), request: chat },
  { operation: 'chats.update', expected: ownerOnlyChange(), request: withBody(chat, { title: 'Changed' }) },
  { operation: 'chats.delete', expected: ownerOnlyChange('204'), request: chat },
  { operation: 'chat_messages.list', expected: ownerOnlyRead(), request: message },
  { operation: 'chat_messages.read', expected: ownerOnlyRead(), request: message },
  {
    operation: 'chat_messages.create',
    expected: ownerOnlyChange('201'),
    request: withBody(chat, { content: 'Hello!', stream: false }),
    attempts: [
      {
        name: 'a message of another chat to replace',
        caller: 'owner',
        request: async (scene) => {
          const { params } = await message(scene);
          return { ...(await chat(scene)), body: { content: 'Hello!', replace_message_id: params.messageId } };
        },
        expected: '404 not_found',
        like: async (scene) => ({
          ...(await chat(scene)),
          body: { content: 'Hello!', replace_message_id: newId('msg') },
        }),
      },
      {
        name: 'a chat of his own with a model that is not shared with him',
        caller: 'stranger',
        request: (scene) => chatOfStranger(scene, scene.world.places.text.private.alias),
        expected: '404 model_not_found',
        like: (scene) => chatOfStranger(scene, 'never-was'),
      },
    ],
  },
  { operation: 'chat_messages.retry', expected: ownerOnlyChange('201'), request: withBody(message, { stream: false }) },
  { operation: 'chat_messages.rate', expected: ownerOnlyChange(), request: withBody(message, { rating: 'up' }) },
  { operation: 'chat_messages.stop', expected: ownerOnlyChange(), request: message },
  { operation: 'chat_images.read', expected: ownerOnlyRead(), request: image },
  {
    operation: 'chat_messages.save_example',
    expected: ownerOnlyChange('201'),
    request: async (scene) => ({ ...(await message(scene)), body: { dataset_id: await textDataset(scene) } }),
    attempts: [
      {
        name: 'a dataset of another project',
        caller: 'owner',
        request: async (scene) => {
          const { projectId } = scene.world.places.text.elsewhere;
          return { ...(await message(scene)), body: { dataset_id: await textDataset(scene, projectId) } };
        },
        expected: '404 not_found',
        like: async (scene) => ({ ...(await message(scene)), body: { dataset_id: newId('ds') } }),
      },
    ],
  },
  {
    operation: 'embeddings.try',
    kind: 'embedding',
    expected: modelCall(),
    request: ({ place }) => ({ body: { model: place.alias, input: 'lamp' } }),
  },
];
