import { foldText } from '#kernel';

export function searchTextOf(project: { slug: string; name: string; description: string | null }): string {
  return foldText([project.slug, project.name, project.description ?? ''].join('\n'));
}
