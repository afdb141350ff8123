import type { FastifyInstance } from 'fastify';
import type { Sql } from '#db';
import { projectPathOf, projectPrefix } from '#projects';
import { authorizeEmbeddingProject } from '../feedback-access.ts';
import { settingsContract, settingsToWire } from './settings.schema.ts';

export function settingsRoutes(deps: Parameters<typeof settingsToWire>[0] & { sql: Sql }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      `${projectPrefix}/retrieval-settings`,
      { config: { operation: 'retrieval_settings.read', contract: settingsContract } },
      async (request) => {
        const project = await authorizeEmbeddingProject(deps.sql, request.principal, projectPathOf(request));
        return settingsToWire(deps, project);
      },
    );
  };
}
