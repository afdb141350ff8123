import { createHeldText } from './held-text.ts';

/** Finds the first stop string to end in a text that arrives in pieces. */
export type StopMatcher = {
  /** Text that is certainly no part of a stop string. After a match everything is ''. */
  push: (text: string) => string;
  /** The held-back beginning of a stop string that did not come. */
  flush: () => string;
  /** The stop string that came; null: none yet. Of several that end at once, the longest. */
  matched: () => string | null;
};

/** One Knuth-Morris-Pratt automaton per string: linear time, and nothing depends on how the text is split. */
export function createStopMatcher(stops: readonly string[]): StopMatcher {
  const patterns = stops.filter((stop) => stop !== '').map((text) => ({ text, fallback: borders(text), state: 0 }));
  const held = createHeldText();
  let matched: string | null = null;

  /** Advances all patterns by one unit; the longest one that is now complete, else ''. */
  const step = (unit: string): string => {
    let complete = '';
    for (const pattern of patterns) {
      while (pattern.state > 0 && pattern.text[pattern.state] !== unit) {
        pattern.state = pattern.fallback[pattern.state - 1] ?? 0;
      }
      if (pattern.text[pattern.state] === unit) pattern.state += 1;
      if (pattern.state === pattern.text.length && pattern.state > complete.length) complete = pattern.text;
    }
    return complete;
  };

  return {
    push: (text) => {
      if (matched !== null) return '';
      if (patterns.length === 0) return text;
      for (let at = 0; at < text.length; at += 1) {
        const complete = step(text.charAt(at));
        if (complete === '') continue;
        matched = complete;
        held.append(text.slice(0, at + 1));
        return held.take(held.length() - complete.length);
      }
      held.append(text);
      return held.take(held.length() - Math.max(...patterns.map((pattern) => pattern.state)));
    },
    flush: () => {
      for (const pattern of patterns) pattern.state = 0;
      return matched !== null ? '' : held.take(held.length());
    },
    matched: () => matched,
  };
}

/** For each prefix of the text, the length of its longest proper border. */
function borders(text: string): number[] {
  const lengths = [0];
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = lengths[border - 1] ?? 0;
    if (text[at] === text[border]) border += 1;
    lengths.push(border);
  }
  return lengths;
}
