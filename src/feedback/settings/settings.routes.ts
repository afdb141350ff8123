import type { FastifyInstance } from 'fastify';
import type { Sql } from '#db';
import { projectPathOf, projectPrefix } from '#projects';
import { embeddingProject } from '../place.ts';
import { settingsContract, settingsToWire } from './settings.schema.ts';
import { type SettingsDeps, settingsOf } from './settings.ts';

export function settingsRoutes(deps: SettingsDeps & { sql: Sql }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      `${projectPrefix}/retrieval-settings`,
      { config: { operation: 'retrieval_settings.read', contract: settingsContract } },
      async (request) => {
        const project = await embeddingProject(deps.sql, request.principal, projectPathOf(request));
        return settingsToWire(settingsOf(deps, project));
      },
    );
  };
}
