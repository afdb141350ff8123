import { createHeadingAnchors } from '#kernel';

export type Heading = { level: number; text: string; anchor: string };

/** A heading with the text up to the next one; the anchor of the title is null. */
export type GuideSection = { heading: string; anchor: string | null; text: string };

export type Guide = {
  title: string;
  /** The first sentence, or two where it is short. */
  summary: string;
  /** Without the title. Links lead to addresses of this server; those to other files of the repository are text. */
  markdown: string;
  /** Below the title. */
  headings: Heading[];
  sections: GuideSection[];
};

/**
 * Takes the Markdown of a guide apart. Its first line is its title.
 * @param addressOf - the address on this server that a relative link leads to; null: none.
 */
export function readGuide(text: string, addressOf: (link: string) => string | null): Guide {
  const [first = '', ...lines] = withAddresses(text, addressOf).split('\n');
  const title = first.replace(/^# /, '');
  const anchorOf = createHeadingAnchors();
  const headings: Heading[] = [];
  const sections: { heading: string; anchor: string | null; lines: string[] }[] = [
    { heading: title, anchor: null, lines: [] },
  ];
  let isCode = false;
  for (const line of lines) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks, name] = isCode ? [] : (/^(#{2,6}) (.+)$/.exec(line) ?? []);
    if (marks !== undefined && name !== undefined) {
      const heading = { level: marks.length, text: inlineText(name), anchor: anchorOf(inlineText(name)) };
      headings.push(heading);
      sections.push({ heading: heading.text, anchor: heading.anchor, lines: [] });
    } else if (!line.startsWith('```')) sections.at(-1)?.lines.push(isCode ? line : plainLine(line));
  }
  return {
    title,
    summary: summaryOf(lines),
    markdown: lines.join('\n').trim(),
    headings,
    sections: sections.map(({ lines: own, ...section }) => ({
      ...section,
      text: own.join(' ').replace(/\s+/g, ' ').trim(),
    })),
  };
}

function withAddresses(text: string, addressOf: (link: string) => string | null): string {
  const isRelative = (link: string) => !/^(?:#|[a-z]+:)/.test(link);
  // Every second part is a block of code.
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, label: string, link: string) => {
            if (!isRelative(link)) return whole;
            const address = addressOf(link);
            return address === null ? label : `[${label}](${address})`;
          }),
    )
    .join('');
}

/** A line of prose without the signs of Markdown. */
function plainLine(line: string): string {
  if (/^\|[\s|:-]+\|$/.test(line)) return '';
  return inlineText(line)
    .replace(/^\s*(?:[-*>]|\d+\.) /, '')
    .replace(/(?:^\| ?| ?\|$)/g, '')
    .replace(/ \| /g, ' · ');
}

function inlineText(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*?([^*]+)\*\*?/g, '$1')
    .replaceAll('`', '');
}

function summaryOf(lines: readonly string[]): string {
  const prose = lines.filter((line) => !line.startsWith('#'));
  const start = prose.findIndex((line) => line !== '');
  const end = prose.indexOf('', start);
  const paragraph = prose
    .slice(start, end < 0 ? undefined : end)
    .map(plainLine)
    .join(' ');
  // A paragraph may introduce an example.
  return (/^.{40,}?\.(?= |$)/.exec(paragraph)?.[0] ?? paragraph).replace(/:$/, '.');
}
