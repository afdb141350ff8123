import { type Html, html } from './html.ts';

/**
 * The Markdown that contracts use: paragraphs, lists of one level, `code` and **strong**. Anything else stays text.
 */
export function markdown(text: string): Html {
  return html`${text.split(/\n{2,}/).map(block)}`;
}

function block(text: string): Html {
  const lines = text.split('\n');
  if (!lines.every((line) => line.startsWith('- '))) return html`<p>${inline(text)}</p>`;
  return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
}

export function inline(text: string): Html {
  return html`${text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (/^`[^`]+`$/.test(piece)) return html`<code>${piece.slice(1, -1)}</code>`;
    if (/^\*\*[^*]+\*\*$/.test(piece)) return html`<strong>${piece.slice(2, -2)}</strong>`;
    return piece;
  })}`;
}
