/** Definitions and raw HTML have effects beyond the next empty line. */
const reachesFar = /^ {0,3}(\[[^\]\n]+\]:|<[!?/a-z])/im;
const listItem = /^([-*+]|\d{1,9}[.)])([ \t]|$)/;

/**
 * Cuts Markdown into parts that look the same alone as together. While an answer arrives only its end changes, so the other
 * parts are not rendered again.
 */
export function markdownBlocks(text: string): string[] {
  if (reachesFar.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let closing: RegExp | null = null;
  let isAfterEmpty = false;
  for (const line of text.split('\n')) {
    const canBegin = closing === null && isAfterEmpty && /^\S/.test(line) && !listItem.test(line);
    if (canBegin && block.length > 0) {
      blocks.push(block.join('\n'));
      block = [];
    }
    block.push(line);
    isAfterEmpty = line.trim() === '';
    if (closing === null) closing = closingOf(line);
    else if (closing.test(line)) closing = null;
  }
  return [...blocks, block.join('\n')];
}

/** The line that ends the code or the formula that this line begins; null: it begins none. */
function closingOf(line: string): RegExp | null {
  const [, fence] = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,}|\${2,}(?=[^$]*$))/.exec(line) ?? [];
  if (fence === undefined) return null;
  const [mark = ''] = fence;
  return new RegExp(`^ {0,3}\\${mark}{${fence.length},}[ \\t]*$`);
}
