import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Sql } from '#db';
import { type ProjectPath, projectPrefix } from '#projects';
import { embeddingProject } from '../place.ts';
import { settingsContract, settingsToWire } from './settings.schema.ts';
import { type SettingsDeps, settingsOf } from './settings.ts';

export function settingsRoutes(deps: SettingsDeps & { sql: Sql }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      `${projectPrefix}/retrieval-settings`,
      { config: { operation: 'retrieval_settings.read', contract: settingsContract } },
      async (request) => {
        const project = await embeddingProject(deps.sql, request.principal, projectOf(request));
        return settingsToWire(settingsOf(deps, project));
      },
    );
  };
}

/** The path has both parameters. */
function projectOf({ params }: FastifyRequest): ProjectPath {
  return params as ProjectPath;
}
