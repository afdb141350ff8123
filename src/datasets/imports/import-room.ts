import type { FastifyInstance } from 'fastify';
import type { CancelableWork } from '#projects';
import type { DatasetLimits } from '../limits.ts';
import { importStepsRoutes } from './import-steps.routes.ts';
import { createImportTask, type ImportTaskOptions } from './import-task.ts';
import { type ImportRoutesDeps, importsRoutes } from './imports.routes.ts';
import { countRunningImports } from './imports.store.ts';
import { cancelImportsIn } from './imports.ts';
import { createSweeper } from './sweep.ts';
import { uploadRoutes } from './upload.routes.ts';
import type { WorkBounds } from './worker/protocol.ts';

const defaultSilenceMs = 60_000;
/** Longest row: four times the longest example, as columns that are not mapped count too. */
const maxRowBytes = 4_000_000;
const maxColumns = 1_000;
/** Bytes after decompression for each byte that may be uploaded: what text at its most regular is packed to. */
const maxGrowth = 10;

export type ImportsOptions = Omit<ImportTaskOptions, 'bounds'> &
  Omit<ImportRoutesDeps, 'task' | 'limits'> & {
    limits: DatasetLimits;
    uploadSilenceMs?: number;
  };

export function createImports(options: ImportsOptions) {
  const { limits, uploadSilenceMs = defaultSilenceMs } = options;
  const task = createImportTask({ ...options, bounds: boundsOf(limits) });
  const deps = { ...options, task, uploadSilenceMs };
  const sweeper = createSweeper(deps);
  return {
    routes: async (app: FastifyInstance): Promise<void> => {
      await app.register(importsRoutes(deps));
      await app.register(importStepsRoutes(deps));
      await app.register(uploadRoutes(deps));
    },
    /** Keeps its project out of the archive. */
    work: {
      kind: 'imports',
      countRunning: countRunningImports,
      cancelAll: (project) => cancelImportsIn(options.database, { project, task }),
    } satisfies CancelableWork,
    start: sweeper.start,
    stop: async () => {
      await sweeper.stop();
      task.stop();
    },
  };
}

function boundsOf(limits: DatasetLimits): WorkBounds {
  return {
    maxRows: limits.maxImportRows,
    maxTextBytes: limits.maxImportBytes * maxGrowth,
    maxRowBytes,
    maxColumns,
    maxExamples: limits.maxExamplesPerDataset,
    maxDatasets: limits.maxDatasets,
    maxVersions: limits.maxVersionsPerDataset,
  };
}
