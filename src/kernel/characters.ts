/** Characters of a text as published schemas count them: one beyond the basic plane is one, not two. */
export function charactersOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs++;
  return text.length - pairs;
}
