import type { FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import type { Sql } from '#db';
import { changeOwnProject, type ProjectSeen, projectPathOf, readOwnProject } from '#projects';
import type { By } from './hosted-activity.ts';

/** The owner's project, and who changes what in it. */
export type Place = {
  project: ProjectSeen;
  by: By;
  /** In the transaction of a change: until it ends nobody archives the project. Throws what forbids the change. */
  lock: (tx: Sql) => Promise<void>;
};

/** Only the owner reads what a project hosts; what others may call is in the compatible list and in the registry. */
export async function placeToRead(sql: Sql, request: FastifyRequest): Promise<Place> {
  return placeOf(request, await readOwnProject(sql, request.principal, projectPathOf(request)));
}

export async function placeToChange(sql: Sql, request: FastifyRequest): Promise<Place> {
  return placeOf(request, await changeOwnProject(sql, request.principal, projectPathOf(request)));
}

function placeOf(request: FastifyRequest, project: ProjectSeen): Place {
  const { principal, id } = request;
  return {
    project,
    by: {
      actor: actorOf(principal),
      requestId: id,
      accountId: project.accountId,
      project: { ownerSlug: project.ownerSlug, slug: project.slug },
    },
    lock: async (tx) => void (await changeOwnProject(tx, principal, projectPathOf(request))),
  };
}
