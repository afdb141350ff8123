import type { ChatImage, ChatMessage, UserPart } from '#engine';
import type { Fault } from '#kernel';

/** The beginnings of the files, by the media type that they must have. */
const beginnings: Readonly<Record<string, (head: Buffer) => boolean>> = {
  'image/png': (head) => head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  'image/jpeg': (head) => head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  'image/gif': (head) => /^GIF8[79]a/.test(head.toString('latin1')),
  'image/webp': (head) => /^RIFF.{4}WEBP/s.test(head.toString('latin1')),
};
const mediaTypes = Object.keys(beginnings).join(', ');
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export type SentImage = {
  /** Where it was sent, for errors. */
  param: string;
  detail?: ChatImage['detail'] | null | undefined;
  refuse: (param: string, message: string) => Fault;
};

/** An image in a `data:` URL. Nothing is ever fetched. */
export function readImageUrl(url: string, sent: SentImage): ChatImage {
  const { param, refuse } = sent;
  const comma = url.indexOf(',');
  const [, mediaType] = /^data:([a-z]+\/[a-z0-9.+-]+);base64$/i.exec(url.slice(0, Math.max(0, comma))) ?? [];
  if (mediaType === undefined) {
    const isLink = /^https?:/i.test(url);
    throw refuse(
      param,
      `${isLink ? 'images are not fetched' : 'this is no image'}; send the image itself: data:image/png;base64,...`,
    );
  }
  return readBase64Image({ mediaType: mediaType.toLowerCase(), data: url.slice(comma + 1) }, sent);
}

export function readBase64Image(
  { mediaType, data }: { mediaType: string; data: string },
  { param, detail, refuse }: SentImage,
): ChatImage {
  const isOfType = beginnings[mediaType];
  if (!isOfType) throw refuse(param, `images have one of the types ${mediaTypes}`);
  if (data === '' || !base64Pattern.test(data)) throw refuse(param, 'the image is not in base64');
  if (!isOfType(Buffer.from(data.slice(0, 24), 'base64'))) throw refuse(param, `the file is no ${mediaType}`);
  return { mediaType, base64: data, param, ...(detail ? { detail } : {}) };
}

/** What stands for an image where only text is stored. */
const placeholder = '[image]';

/** What a person says, in parts: text alone is joined with line breaks. */
export function userMessage(parts: readonly UserPart[]): ChatMessage {
  const content = parts.map((part) => (part.type === 'text' ? part.text : placeholder)).join('\n');
  const hasImages = parts.some(({ type }) => type === 'image');
  return hasImages ? { role: 'user', content, parts: [...parts] } : { role: 'user', content };
}
