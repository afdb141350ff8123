/** Folds text so that a search finds it however it was typed: case, width and composition of characters do not matter. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFC');
}

/** What a search for a project looks through. */
export function searchTextOf(project: { slug: string; name: string; description: string | null }): string {
  return foldText([project.slug, project.name, project.description ?? ''].join('\n'));
}
