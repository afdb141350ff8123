import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { actorOf } from '#activity';
import { once } from '#calls';
import type { Database } from '#db';
import { type PublicUrl, pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault, foldText } from '#kernel';
import { projectPathOf, projectPrefix, seeProject } from './access.ts';
import { deleteProject } from './deletion/delete-project.ts';
import type { Author } from './project-activity.ts';
import type { ProjectPatch } from './project-change.ts';
import type { ProjectFilter } from './project-list.store.ts';
import { listProjects, type ShownProject, showToOwner } from './project-list.ts';
import { createContract, deleteContract, listContract, readContract, updateContract } from './projects.contract.ts';
import { createProjectBody, projectsQuery, projectToWire, updateProjectBody } from './projects.schema.ts';
import { changeProject, createProject, type NewProject } from './projects.ts';
import type { RunningWork } from './running-work.ts';

export type ProjectsDeps = {
  database: Database;
  cursors: CursorCodec;
  publicUrl: PublicUrl;
  work: readonly RunningWork[];
};

export function projectsRoutes(deps: ProjectsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, publicUrl } = deps;
    const render = (request: FastifyRequest) => (shown: ShownProject) => projectToWire(shown, publicUrl(request));

    typed.get(
      '/api/v1/projects',
      { config: { operation: 'projects.list', contract: listContract }, schema: { querystring: projectsQuery } },
      async (request) => {
        const { principal, query } = request;
        const filter = filterOf(principal.accountId, query);
        const page = await listProjects({ sql: database, cursors: deps.cursors }, filter, readPage(query));
        return pageOf({ ...page, toWire: (row) => render(request)(page.shownOf(row)) });
      },
    );

    typed.post(
      '/api/v1/projects',
      { config: { operation: 'projects.create', contract: createContract }, schema: { body: createProjectBody } },
      async (request, reply) => {
        const input = newProjectOf(request, request.body);
        const shown = await once(request, database).transaction(async (tx) =>
          showToOwner(tx, await createProject(tx, input)),
        );
        reply.code(201);
        return render(request)(shown);
      },
    );

    typed.get(projectPrefix, { config: { operation: 'projects.read', contract: readContract } }, async (request) => {
      const { project, role } = await seeProject(database, request.principal, projectPathOf(request));
      return render(request)(role === 'owner' ? await showToOwner(database, project) : { project, role, counts: null });
    });

    typed.patch(
      projectPrefix,
      { config: { operation: 'projects.update', contract: updateContract }, schema: { body: updateProjectBody } },
      async (request) => {
        const { project: seen, role } = await seeProject(database, request.principal, projectPathOf(request));
        if (role !== 'owner') throw fault('owner_required');
        const update = { seen, patch: patchOf(request.body), author: authorOf(request), work: deps.work };
        const shown = await database.transaction(async (tx) => showToOwner(tx, await changeProject(tx, update)));
        return render(request)(shown);
      },
    );

    typed.delete(
      projectPrefix,
      { config: { operation: 'projects.delete', contract: deleteContract } },
      async (request, reply) => {
        const { project: seen, role } = await seeProject(database, request.principal, projectPathOf(request));
        if (role !== 'owner') throw fault('owner_required');
        const deletion = { seen, author: authorOf(request), work: deps.work };
        await database.transaction((tx) => deleteProject(tx, deletion));
        return reply.code(204).send();
      },
    );
  };
}

function authorOf({ principal, id }: FastifyRequest): Author {
  return { actor: actorOf(principal), requestId: id };
}

function filterOf(accountId: string, query: Static<typeof projectsQuery>): ProjectFilter {
  const { access = 'all', archived = false, kind = null, q = '' } = query;
  return { accountId, access, archived, kind, search: q === '' ? null : foldText(q) };
}

function newProjectOf(request: FastifyRequest, body: Static<typeof createProjectBody>): NewProject {
  const { name, slug, kind, description, visibility, inference_auto_save: inferenceAutoSave } = body;
  const { accountId } = request.principal;
  return { accountId, name, slug, kind, description, visibility, inferenceAutoSave, ...authorOf(request) };
}

function patchOf({ inference_auto_save: inferenceAutoSave, ...patch }: Static<typeof updateProjectBody>): ProjectPatch {
  return { ...patch, inferenceAutoSave };
}
