import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatPrompt, Delta, Engine, EngineModel, Finished, Sampling } from '#engine';
import { createEngine, type EngineOptions } from '#engine';
import { Fault, type FaultName } from '#kernel';

/** An engine whose children are scripted (`scripted-child.ts`), with its models in a temporary folder. */
export type ScriptedEngine = {
  engine: Engine;
  models: EngineModel[];
  folder: string;
  log: { level: string; message: string; fields: Record<string, unknown> }[];
  /** Writes the script of a model and installs it. */
  install: (id: string, script?: object, kind?: EngineModel['kind']) => EngineModel;
  close: () => Promise<void>;
};

export function createScriptedEngine(options: Partial<EngineOptions> = {}): ScriptedEngine {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-engine-'));
  const models: EngineModel[] = [];
  const log: ScriptedEngine['log'] = [];
  const engine = createEngine({
    models: () => models,
    log: (level, message, fields) => log.push({ level, message, fields }),
    childScript: fileURLToPath(new URL('./scripted-child.ts', import.meta.url)),
    ...options,
  });
  return {
    engine,
    models,
    folder,
    log,
    install: (id, script = {}, kind = 'text') => {
      const model: EngineModel = { id, kind, ggufPath: join(folder, `${id}.gguf`), maxContextTokens: 64 };
      writeFileSync(model.ggufPath, JSON.stringify(script));
      models.push(model);
      return model;
    },
    close: async () => {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const never: AbortSignal = new AbortController().signal;

export const greedy: Sampling = {
  maxTokens: 64,
  temperature: 0,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: null,
  stop: [],
};

export function chatPrompt(baseModelId: string, content: string): ChatPrompt {
  return {
    target: { baseModelId, adapter: null },
    messages: [{ role: 'user', content }],
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
    reasoningEffort: null,
  };
}

/** Prepares and generates; `behaviour` is the scripted child's. */
export async function ask(
  engine: Engine,
  modelId: string,
  call: { behaviour?: object; signal?: AbortSignal; onDelta?: (delta: Delta) => void } = {},
): Promise<Finished> {
  const signal = call.signal ?? never;
  const { handle } = await engine.prepareChat(chatPrompt(modelId, JSON.stringify(call.behaviour ?? {})), signal);
  return engine.generate({ handle, sampling: greedy, cacheScope: 'a', signal }, call.onDelta ?? (() => {}));
}

/** The process ids of the children that said they were ready, in order. */
export function readyPids(log: ScriptedEngine['log']): number[] {
  return log.filter(({ message }) => message === 'Model ready').map(({ fields }) => Number(fields['childPid']));
}

/** Waits for a condition; fails loudly rather than for ever. */
export async function until(condition: () => boolean, limitMs = 60_000): Promise<void> {
  const startMs = performance.now();
  while (!condition()) {
    if (performance.now() - startMs > limitMs) throw new Error('The condition did not become true in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process runs; one that only waits for its parent to take note of its end does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return !existsSync('/proc/self');
  }
}

/** A predicate for `assert.rejects`. */
export function isFault(name: FaultName, check: (fault: Fault) => boolean = () => true): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault, `Expected a fault, got ${error}`);
    assert.equal(error.fault, name);
    return check(error);
  };
}

export const hintsRetry = ({ options }: Fault) =>
  Number.isInteger(options.retryAfterSeconds) &&
  Number(options.retryAfterSeconds) >= 1 &&
  Number(options.retryAfterSeconds) <= 59;
