import { createChats } from '#chats';
import {
  createAdmission,
  createPrincipalCalls,
  createRepeatGuard,
  createSavedCalls,
  createStoredResponses,
  type InferenceDeps,
} from '#inference';
import type { Accounting } from './accounting.ts';
import type { Engines } from './engines.ts';
import type { AppOptions, Infrastructure } from './infrastructure.ts';
import type { Resources } from './resources.ts';

export type CallsDeps = {
  infrastructure: Infrastructure;
  engines: Engines;
  accounting: Accounting;
  resources: Resources;
};

/** Calls of models, those that are saved, and chats, whose answers are calls too. */
export function openCalls(
  { chats: pace = {} }: AppOptions,
  { infrastructure, engines, accounting, resources }: CallsDeps,
) {
  const { config, database, log, clock, cursors, telemetry } = infrastructure;
  const { models, engine } = engines;
  const { calls, keyUsage } = accounting;
  const { datasets, hosting, training } = resources;
  const findTrained = training.served.ofCall;
  const saved = createSavedCalls({
    database,
    datasets,
    clock,
    cursors,
    log,
    retentionDays: config.autosaveRetentionDays,
  });
  const storing = createStoredResponses({
    database,
    log,
    retentionDays: config.responsesRetentionDays,
    accountBytes: config.maxResponsesBytes,
  });
  const inference: InferenceDeps = {
    admit: createAdmission({ sql: database, keyUsage, findTrained }),
    findTrained,
    sql: database,
    models,
    engine,
    calls,
    clock,
    modelUsage: hosting.usage,
    storedResponses: storing.store,
    protocolSecret: infrastructure.protocolSecret,
    repeatGuard: createRepeatGuard(clock),
    autoSave: saved.autoSave,
    observe: telemetry.observeCall,
  };
  const principalCalls = createPrincipalCalls(inference);
  const chats = createChats({ database, cursors, datasets, log, calls: principalCalls, ...pace });
  return { saved, storing, inference, chats };
}
