import { fault } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import type { Segment } from '../text/template.ts';
import type { AddonModel } from './addon.ts';

/** Texts of the control tokens in front of a prefix, of a suffix, and of the middle that the model writes. */
export type InfillTokens = { prefix: string; suffix: string; middle: string };

/** As the file names them, or as llama.cpp knows them by their text; null: the model lacks one of them. */
export function infillTokens(addon: AddonModel): InfillTokens | null {
  const [prefix, suffix, middle] = [addon.prefixToken(), addon.suffixToken(), addon.middleToken()].map((token) =>
    token < 0 ? undefined : addon.getTokenString(token),
  );
  return prefix && suffix && middle ? { prefix, suffix, middle } : null;
}

/** A prompt whose answer goes between its text and `suffix`, in the order of llama.cpp's server. No chat template has a part in it. */
export function infillSegments(
  tokens: InfillTokens | null,
  { messages, suffix }: Pick<ChatPrompt, 'messages'> & { suffix: string },
): Segment[] {
  if (tokens === null) {
    const message =
      'suffix: this model has no tokens to fill in the middle; leave it out, or use a model for code that has them';
    throw fault('invalid_request', { param: 'suffix', message });
  }
  const prefix = messages.map(({ content }) => content).join('');
  return [
    { text: tokens.prefix, special: true },
    { text: prefix, special: false },
    { text: tokens.suffix, special: true },
    { text: suffix, special: false },
    { text: tokens.middle, special: true },
  ];
}
