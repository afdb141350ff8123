import { createChats } from '#chats';
import {
  createAdmission,
  createDoubtfulPayers,
  createPrincipalCalls,
  createRepeatGuard,
  createSavedCalls,
  createStoredResponses,
  type InferenceDeps,
} from '#inference';
import type { Books } from './books.ts';
import type { Engines } from './engines.ts';
import type { AppOptions, Ground } from './ground.ts';
import type { Resources } from './resources.ts';

export type CallsDeps = { ground: Ground; engines: Engines; books: Books; resources: Resources };

/** Calls of models, those that are saved, and chats, whose answers are calls too. */
export function openCalls({ chats: pace = {} }: AppOptions, { ground, engines, books, resources }: CallsDeps) {
  const { config, database, log, clock, cursors, telemetry } = ground;
  const { models, engine } = engines;
  const { billing, limiter, idempotency, requests, keyUsage } = books;
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
    billing,
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
    billing,
    limiter,
    idempotency,
    requests,
    clock,
    modelUsage: hosting.usage,
    storedResponses: storing.store,
    protocolSecret: ground.protocolSecret,
    repeatGuard: createRepeatGuard(clock),
    doubtfulPayers: createDoubtfulPayers(clock),
    autoSave: saved.autoSave,
    observe: telemetry.observeCall,
  };
  const principalCalls = createPrincipalCalls(inference);
  const chats = createChats({ database, cursors, billing, datasets, log, calls: principalCalls, ...pace });
  return { saved, storing, inference, chats };
}
