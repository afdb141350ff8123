import type { Clock } from '#kernel';
import type { ProcessEnvironment } from '#processes';
import type { EngineModel } from '../port.ts';
import type { EngineLog } from './engine-process.ts';
import type { LoadSettings } from './load-settings.ts';
import type { PlannedLoad } from './memory.ts';
import type { Session } from './session.ts';
import type { LeaseManager } from './session-requests.ts';

export type RuntimeSettings = Omit<LoadSettings, 'gpu'> & {
  maxQueue: number;
  warmWaitMs: number;
  capacityWaitMs: number;
  /** 0: never. */
  idleUnloadMs: number;
  /** Least silence of a working child that counts as hung. */
  hangMs: number;
};

export type LoadAttempt = { usesGpu: boolean };

export type RuntimeOptions = {
  modelId: string;
  model: () => EngineModel | undefined;
  settings: RuntimeSettings;
  childScript: string;
  environment: ProcessEnvironment;
  clock: Clock;
  log: EngineLog;
  lease: LeaseManager<Session>;
  /** Unloads others until there is memory for the model. Throws `capacity_unavailable`. */
  planLoad: (model: EngineModel, options: LoadAttempt) => Promise<PlannedLoad>;
};

/**
 * States of a base model:
 *   cold → loading      somebody asks for it
 *   loading → ready     the child says so; everybody who waits goes on
 *   loading → loading   the GPU cannot be used: once more without it; also after two deaths on it in a row
 *   loading → failed    the file is missing or broken, or the child died three times: refused until the back-off is over or
 *                       the file has changed
 *   loading → cold      there is no memory for it at present, or the child died: tried again if somebody waits
 *   ready → cold        idle for long, evicted for another model, or crashed (started again at once if it had work)
 *   failed → loading    somebody asks after the back-off
 */
export type RuntimeState =
  | { name: 'cold' }
  | Loading
  | { name: 'ready'; session: Session; loadedAtMs: number; settings: string }
  | Failed;
export type Loading = {
  name: 'loading';
  sinceMs: number;
  /** Of the model when it began (`settingsOf`). */
  settings: string;
  /** null: waits for its turn, for memory or for the last child's end. */
  session: Session | null;
  error: string | null;
};
export type Failed = { name: 'failed'; error: string; untilMs: number; stamp: string };
