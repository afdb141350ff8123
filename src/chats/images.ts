import type { Sql } from '#db';
import { readImageUrl } from '#inference';
import { fault, newId } from '#kernel';
import {
  type ImageData,
  insertImage,
  listImages,
  listImagesOfMessage,
  type MessageImage,
  sumImageBytes,
} from './images.store.ts';
import type { MessageRow } from './messages.store.ts';

/** As many as a call takes. */
export const mostImages = 8;

/** What the images of one account may take. */
export const defaultImageBytes = 268_435_456;

/** Reads `data:` URLs. Throws `invalid_request`. */
export function readImages(urls: readonly string[]): ImageData[] {
  return urls.map((url, index) => {
    const param = `images[${index}]`;
    const refuse = (at: string, reason: string) =>
      fault('invalid_request', { message: `${at}: ${reason}.`, param: at });
    const { mediaType, base64 } = readImageUrl(url, { param, refuse });
    return { mediaType, data: Buffer.from(base64, 'base64') };
  });
}

/** Stores the images of a message, within what its account may store. Throws `state_conflict`. */
export async function addImages(
  tx: Sql,
  message: MessageRow,
  { images, accountId, mostBytes }: { images: readonly ImageData[]; accountId: string; mostBytes: number },
): Promise<MessageRow> {
  if (images.length === 0) return message;
  const added = images.reduce((sum, { data }) => sum + data.length, 0);
  if ((await sumImageBytes(tx, accountId)) + added > mostBytes)
    throw fault('state_conflict', {
      message: 'The images in your chats take all the storage that an account has for them. Delete chats with images.',
      details: { reason: 'image_storage', max_bytes: mostBytes },
    });
  const stored: MessageImage[] = [];
  for (const [position, image] of images.entries()) {
    const id = newId('img');
    await insertImage(tx, { chatId: message.chatId, messageId: message.id, accountId }, { id, position, ...image });
    stored.push({ id, mediaType: image.mediaType, bytes: image.data.length });
  }
  return { ...message, images: stored };
}

/** The images of a message that is sent again. */
export const imagesOfMessage = listImagesOfMessage;

const referencePrefix = 'chat-image:';

/** Stands for an image in a request that is stored. */
export const referenceTo = (id: string): string => referencePrefix + id;

type WithMessages = { messages: (Record<string, unknown> & { role: string })[] };

/** The request as it is made: with the images themselves. */
export async function withImageData<Body extends WithMessages>(sql: Sql, chatId: string, request: Body): Promise<Body> {
  const parts = request.messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isReference) : []));
  if (parts.length === 0) return request;
  const images = await listImages(sql, chatId, parts.map(idIn));
  const urls = new Map(
    images.map(({ id, mediaType, data }) => [id, `data:${mediaType};base64,${data.toString('base64')}`]),
  );
  const withData = (part: unknown) =>
    isReference(part) ? { ...part, image_url: { url: urls.get(idIn(part)) ?? part.image_url.url } } : part;
  const messages = request.messages.map(({ content, ...message }) =>
    Array.isArray(content) ? { ...message, content: content.map(withData) } : { ...message, content },
  );
  return { ...request, messages };
}

type Reference = { type: 'image_url'; image_url: { url: string } };

// as: parts of messages are made in `conversation.ts`.
const isReference = (part: unknown): part is Reference => (part as Reference).type === 'image_url';
const idIn = ({ image_url: { url } }: Reference): string => url.slice(referencePrefix.length);
