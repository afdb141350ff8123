/** Anchors of the headings of one document, as renderers of Markdown name them; a repeated one gets a number. */
export function createHeadingAnchors(): (heading: string) => string {
  const uses = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const earlier = uses.get(anchor) ?? 0;
    uses.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  };
}
