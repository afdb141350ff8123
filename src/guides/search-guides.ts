import type { Guide, GuideSection } from './read-guide.ts';

export type GuideMatch = { name: string; guide: Guide; section: GuideSection; excerpt: string };

const excerptBefore = 60;
const excerptLength = 220;

/** The sections that contain every word of the query, also as a part of a word; headings count more than text. */
export function searchGuides(guides: ReadonlyMap<string, Guide>, query: string, limit: number): GuideMatch[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))];
  if (words.length === 0) return [];
  const found: { match: GuideMatch; score: number }[] = [];
  for (const [name, guide] of guides)
    for (const section of guide.sections) {
      const score = scoreOf(guide, section, words);
      if (score > 0) found.push({ match: { name, guide, section, excerpt: excerptOf(section.text, words) }, score });
    }
  // Sorting is stable: equal ones stay in the order of reading.
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ match }) => match);
}

function scoreOf({ title }: Guide, { heading, text }: GuideSection, words: readonly string[]): number {
  const [titleText, headingText, body] = [title, heading, text].map((part) => part.toLowerCase());
  let score = 0;
  for (const word of words) {
    const inHeading = headingText?.includes(word) ? 20 : 0;
    const inTitle = titleText?.includes(word) ? 10 : 0;
    const inText = Math.min(5, (body?.split(word).length ?? 1) - 1);
    // The title alone would match every section of a guide.
    if (inHeading + inText === 0) return 0;
    score += inHeading + inTitle + inText;
  }
  return score;
}

/** The text around the first word that is found. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const at = Math.max(0, Math.min(...places, text.length) - excerptBefore);
  const start = places.length === 0 || at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const end = start + excerptLength;
  const cut =
    text.length <= end ? text.slice(start) : text.slice(start, Math.max(start + 1, text.lastIndexOf(' ', end)));
  return `${start > 0 ? '… ' : ''}${cut}${text.length > end ? ' …' : ''}`;
}
