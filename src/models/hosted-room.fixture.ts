import type { Actor } from '#activity';
import type { TaskHandler } from '#jobs';
import { systemClock } from '#kernel';
import { createProject, type ProjectSeen } from '#projects';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createScriptedEngine, type ScriptedEngine } from '#test/scripted-engine.ts';
import type { BaseModel } from './base-model.ts';
import { createActivations, type HostedDeps } from './hosted-activation.ts';
import type { HostedScope } from './hosted-scope.ts';
import type { TrainedModel } from './resolve.ts';

/** The hosting of models over a real database and a scripted engine, with load checks that run when a test says so. */
export type HostedRoom = HostedDeps & {
  db: TestDatabase;
  scripted: ScriptedEngine;
  /** Installs a base model; `script` says how its loads go. */
  install: (id: string, script?: object, more?: Partial<BaseModel>) => BaseModel;
  /** Jobs that the account may use. */
  jobs: Map<string, TrainedModel & { accountId: string }>;
  /** Load checks that were asked for, by id of the alias. */
  queue: string[];
  /** In whose turn each of them is made, by id of the account. */
  turns: (string | undefined)[];
  /** Makes one attempt at the load check of an alias. */
  attempt: (hostedModelId: string, run?: { signal?: AbortSignal; isLastAttempt?: boolean }) => Promise<void>;
  scope: (kind?: 'text' | 'embedding') => Promise<HostedScope & { project: ProjectSeen }>;
  close: () => Promise<void>;
};

const actor: Actor = { kind: 'account', id: 'acc_1', label: 'ada' };

export async function createHostedRoom(): Promise<HostedRoom> {
  const db = await createTestDatabase();
  const scripted = createScriptedEngine();
  const { database } = db;
  const installed = new Map<string, BaseModel>();
  const jobs: HostedRoom['jobs'] = new Map();
  const queue: string[] = [];
  const turns: HostedRoom['turns'] = [];
  const handler: { run: TaskHandler<{ hostedModelId: string }> | null } = { run: null };
  const targets = {
    models: { find: (id: string) => installed.get(id) },
    trainedModels: {
      find: async (ids: readonly string[], accountId: string) =>
        new Map([...jobs].filter(([id, job]) => ids.includes(id) && job.accountId === accountId)),
    },
  };
  const activations = createActivations({
    database,
    targets,
    engine: scripted.engine,
    clock: systemClock,
    jobs: {
      handle: (_, run) => {
        // as: the one task of this room, with its payload.
        handler.run = run as TaskHandler<object> as TaskHandler<{ hostedModelId: string }>;
      },
      enqueue: async (_, __, payload, { accountId } = {}) => {
        if (!('hostedModelId' in payload)) return;
        queue.push(String(payload.hostedModelId));
        turns.push(accountId);
      },
    },
  });
  return {
    db,
    scripted,
    database,
    targets,
    activations,
    jobs,
    queue,
    turns,
    engine: scripted.engine,
    clock: systemClock,
    install: (id, script = {}, more = {}) => {
      const { ggufPath, kind, maxContextTokens } = scripted.install(id, script, more.kind);
      const model = { ...blank, id, kind, maxContextTokens, installed: { ggufPath, sha256: `sha of ${id}` }, ...more };
      installed.set(id, model);
      return model;
    },
    attempt: async (hostedModelId, { signal = new AbortController().signal, isLastAttempt = false } = {}) =>
      handler.run?.({ hostedModelId }, { signal, attempt: 1, isLastAttempt }),
    scope: async (kind = 'text') => {
      const { accountId } = await seedAccount(database);
      const project = await createProject(database, { accountId, slug: 'project', kind });
      const change = { actor, requestId: 'req_1', accountId, project };
      return { project, change, lock: async () => {} };
    },
    close: async () => {
      await scripted.close();
      await db.drop();
    },
  };
}

const blank: Omit<BaseModel, 'id' | 'kind' | 'maxContextTokens' | 'installed'> = {
  name: 'Model',
  parameters: 1,
  license: null,
  dimensions: null,
  maxInputTokens: null,
  rateMicroPerMinute: 30_000n,
  priceVersion: 'first',
  queryInstruction: null,
  reasoningEfforts: [],
  tools: false,
  source: null,
  created: new Date(0),
};

export type Told = { type: string; actor: string | null; message: string };

/** What the feed of the project's owner tells of models and shares, oldest first. */
export function toldTo({ database }: Pick<HostedRoom, 'database'>, accountId: string): Promise<Told[]> {
  return database.query<Told>(
    `select type, actor_id as actor, message from activity
      where account_id = $1 and (type like 'model.%' or type like 'share.%') order by created_at, id`,
    [accountId],
  );
}
