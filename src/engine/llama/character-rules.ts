import type { Token } from './addon.ts';

/** What is added to the scores of these tokens. */
export type TokenBias = { keys: Uint32Array; values: Float32Array };

/**
 * What a constrained answer must not go on with, although its grammar takes it. The native grammar counts bytes that are no
 * text as characters: longer forms than needed, halves of surrogate pairs, what lies beyond Unicode, and, within one token,
 * any byte for the rest of a character. The decoder makes several replacement characters of each, so that a string became longer
 * than its schema allows. It also takes control tokens for their names, which are not shown, so that one became shorter.
 */
export type CharacterRules = {
  /** Behind a token, or at the beginning. The same object for the same rules. */
  behind: (token: Token | null) => TokenBias;
  /** Whether the token may stand behind whole characters. */
  allows: (token: Token) => boolean;
};

/** Bytes that begin a character whose second byte has a range of its own. All other second bytes are 80 to BF, which the grammar knows. */
const secondBytes = new Map<number, readonly [number, number]>([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

/** `shown`: the bytes of a token's text, none for control tokens. */
export function createCharacterRules(tokens: {
  count: number;
  shown: (token: Token) => Uint8Array;
  isEnd: (token: Token) => boolean;
}): CharacterRules {
  const never: Token[] = [];
  /** By their first byte, which goes on with a character. */
  const goingOn = new Map<number, Token[]>();
  /** What a token ends with, if that has a range for the byte behind it. */
  const endings = new Map<Token, number>();
  for (let token = 0; token < tokens.count; token++) {
    const bytes = tokens.shown(token);
    const [first = 0] = bytes;
    const last = bytes.at(-1) ?? 0;
    if (bytes.length === 0 ? !tokens.isEnd(token) : !isPartOfText(bytes)) never.push(token);
    else if (isContinuation(first)) goingOn.get(first)?.push(token) ?? goingOn.set(first, [token]);
    if (secondBytes.has(last)) endings.set(token, last);
  }
  const everywhere = forbidding(never);
  const behind = new Map<number, TokenBias>();
  for (const [lead, [from, to]] of secondBytes) {
    const wrong = [...goingOn].flatMap(([first, found]) => (first < from || first > to ? found : []));
    behind.set(lead, forbidding([...never, ...wrong]));
  }
  const forbidden = new Set(never);
  return {
    behind: (token) => behind.get(endings.get(token ?? -1) ?? 0) ?? everywhere,
    allows: (token) => !forbidden.has(token),
  };
}

/** Of a model that writes nothing. */
export const noCharacterRules: CharacterRules = createCharacterRules({
  ...{ count: 0, shown: () => new Uint8Array(0), isEnd: () => false },
});

function forbidding(tokens: readonly Token[]): TokenBias {
  return { keys: Uint32Array.from(tokens), values: new Float32Array(tokens.length).fill(Number.NEGATIVE_INFINITY) };
}

const isContinuation = (byte: number): boolean => byte >> 6 === 0b10;

/** Whether these bytes can stand in UTF-8: they may begin and end inside of a character. */
function isPartOfText(bytes: Uint8Array): boolean {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at] ?? 0)) at++;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lengthOf(lead);
    if (length === 0) return false;
    const [from, to] = secondBytes.get(lead) ?? [0x80, 0xbf];
    for (let next = 1; next < length && at + next < bytes.length; next++) {
      const byte = bytes[at + next] ?? 0;
      if (next === 1 ? byte < from || byte > to : !isContinuation(byte)) return false;
    }
    at += length;
  }
  return true;
}

/** How many bytes the character has that begins so; 0: none does. */
function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
