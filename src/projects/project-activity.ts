import { type Actor, type Happening, recordActivity } from '#activity';
import type { Sql } from '#db';
import type { Project } from './projects.store.ts';

/** Who asks for a change, and in which request; the installation itself when left out. */
export type Author = { actor?: Actor | undefined; requestId?: string | undefined };

export type ActivityContext = { project: Project; ownerSlug: string; author: Author };

export function recordProjectActivity(
  tx: Sql,
  { project, ownerSlug, author: { actor, requestId } }: ActivityContext,
  activity: Pick<Happening, 'type' | 'message' | 'data'>,
): Promise<void> {
  return recordActivity(tx, {
    ...activity,
    accountId: project.accountId,
    actor,
    project: { ownerSlug, slug: project.slug },
    subject: { kind: 'project', id: project.id, label: project.name },
    requestId,
  });
}
