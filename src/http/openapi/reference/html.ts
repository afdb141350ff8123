/** Text that is HTML already. Everything else is escaped when it is put into a page. */
export type Html = { readonly html: string };

type Content = Html | string | number | null | undefined | readonly Content[];

/** `html\`<p>${text}</p>\`` escapes what is put in; `null` and `undefined` are nothing, lists are joined. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return { html: parts.reduce((out, part, index) => out + render(contents[index - 1]) + part) };
}

function render(content: Content): string {
  if (content === null || content === undefined) return '';
  if (isList(content)) return content.map(render).join('');
  if (typeof content === 'object') return content.html;
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function isList(content: Content): content is readonly Content[] {
  return Array.isArray(content);
}
