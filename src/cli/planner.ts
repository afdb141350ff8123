import { type KvType, kvTypes, type ModelPlanner } from '#engine';
import { OperatorError } from '#kernel';
import { isKvType, type SettingsChange } from '#models';
import { openGpuSelector } from '../app/gpu-selector.ts';
import { createUsePlanner } from '../app/planner.ts';
import type { Config } from '../config.ts';

/** Options of commands that say how a model is loaded. */
export type SettingsFlags = { context?: string; sequences?: string; kv?: string };

export const contextOption = [
  '--context <tokens>',
  'context length, or auto: what the model supports and what fits',
] as const;
export const sequencesOption = [
  '--sequences <calls>',
  'calls at once, or auto: as many as the server is set to, as far as there is memory',
] as const;
export const kvOption = ['--kv <type>', `how the key-value cache is stored: ${kvTypes.join(', ')}`] as const;

/** Plans models as the server with this configuration would. */
export function withPlanner<Result>(config: Config, work: (planner: ModelPlanner) => Promise<Result>): Promise<Result> {
  return createUsePlanner(
    config,
    openGpuSelector(config, () => {}),
  )(work);
}

export function changeOf({ context, sequences, kv }: SettingsFlags): SettingsChange {
  return {
    contextTokens: numberOrAuto(context),
    sequences: numberOrAuto(sequences),
    kv: kv === undefined ? undefined : readKvType(kv),
  };
}

/** null: auto. Not a number: refused where it is used, with the reason. */
function numberOrAuto(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  return text === 'auto' ? null : Number(text);
}

function readKvType(text: string): KvType {
  if (isKvType(text)) return text;
  throw new OperatorError(`--kv must be one of ${kvTypes.join(', ')}.`);
}
