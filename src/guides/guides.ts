import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lazy } from '#kernel';
import { addressOfLink, fileOfGuide, guideGroups } from './guide-list.ts';
import { type Guide, readGuide } from './read-guide.ts';

export type ListedGuide = Guide & { group: string };

/** The guides by name, in the order of reading. They are read when somebody first asks. */
export function openGuides(folder: string): () => ReadonlyMap<string, ListedGuide> {
  return lazy(() => {
    const guides = new Map<string, ListedGuide>();
    for (const group of guideGroups)
      for (const name of group.guides) {
        const file = fileOfGuide(name);
        const guide = readGuide(readFileSync(join(folder, file), 'utf8'), (link) => addressOfLink(file, link));
        guides.set(name, { ...guide, group: group.name });
      }
    return guides;
  });
}
