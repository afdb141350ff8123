/** Code, in which nothing is mathematics: fenced (also while it arrives), or within a line. */
const code =
  /(^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S])))|((?<!`)(`+)(?!`)[^\n]*?(?<!`)\4(?!`))/gm;

/** What the renderer takes as mathematics, or a dollar of its own: `$$…$$`, `$…$`, `\(…\)`, `\[…\]`, `$`. */
const math =
  /\\\\|\\\$|\\\[([\s\S]+?)\\\]|\\\(([^\n]+?)\\\)|\$\$+[\s\S]*?\$\$+|(?<![\p{L}\p{N}])\$(?![\s$])(?:\\.|[^$\\\n])*?(?<!\s)\$(?![\p{L}\p{N}$])|\$/gu;

export function hasMath(text: string): boolean {
  return /\$|\\[([]|^ {0,3}(`{3,}|~{3,})math/m.test(text);
}

/**
 * Writes mathematics as the renderer reads it: models also write `\(…\)` and `\[…\]`. Dollars that are money are escaped:
 * as in Pandoc, mathematics has no space inside its dollars, and no digit after them.
 */
export function withMathDelimiters(text: string): string {
  let end = 0;
  let written = '';
  for (const match of text.matchAll(code)) {
    written += delimited(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return written + delimited(text.slice(end));
}

function delimited(text: string): string {
  return text.replaceAll(math, (found, display: string | undefined, inline: string | undefined) => {
    if (display !== undefined) return `$$${display.replaceAll(/\n\s*\n/g, '\n')}$$`;
    if (inline !== undefined) return `$${inline.trim()}$`;
    return found === '$' ? '\\$' : found;
  });
}
