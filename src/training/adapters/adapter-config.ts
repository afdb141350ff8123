import { readFile, stat } from 'node:fs/promises';
import { isFields } from '#kernel';

/** In which PEFT keeps an adapter. */
export const peftFiles: readonly string[] = ['adapter_config.json', 'adapter_model.safetensors'];

/** What of a PEFT configuration decides what the adapter does. */
export type AdapterConfig = {
  rank: number;
  alpha: number;
  /** Strength alpha / sqrt(r) instead of alpha / r. */
  isRankStabilised: boolean;
  /** By the end of a module's name. */
  ranks: ReadonlyMap<string, number>;
  alphas: ReadonlyMap<string, number>;
};

const mostConfigBytes = 256 * 1024;
export const mostRank = 256;
const targets = new Set(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']);

/** Settings that change nothing of what is computed with finished weights, or are read below. */
const harmless = new Set([
  'alpha_pattern',
  'auto_mapping',
  'base_model_name_or_path',
  'inference_mode',
  'init_lora_weights',
  'lora_alpha',
  'lora_dropout',
  'peft_type',
  'peft_version',
  'r',
  'rank_pattern',
  'revision',
  'runtime_config',
  'loftq_config',
  'eva_config',
  'corda_config',
  'target_modules',
  'task_type',
  'use_rslora',
  'ensure_weight_tying',
]);

/**
 * Reads `adapter_config.json`. Whatever PEFT can do beyond a plain LoRA on the linear layers is refused by name: it would be
 * lost in silence when it is served. The name of the base in it is ignored, because it may be any path.
 */
export async function readAdapterConfig(path: string): Promise<AdapterConfig> {
  const fields = await readFields(path);
  for (const [name, value] of Object.entries(fields)) {
    if (!harmless.has(name) && isSet(name, value)) {
      throw new AdapterError(`adapter_config.json: ${name.slice(0, 60)} is not supported.`);
    }
  }
  if (fields.peft_type !== 'LORA') throw new AdapterError('adapter_config.json: peft_type must be LORA.');
  checkTargets(fields.target_modules);
  return {
    rank: readRank(fields.r, 'r'),
    alpha: readAlpha(fields.lora_alpha, 'lora_alpha'),
    isRankStabilised: fields.use_rslora === true,
    ranks: readPattern(fields.rank_pattern, 'rank_pattern', readRank),
    alphas: readPattern(fields.alpha_pattern, 'alpha_pattern', readAlpha),
  };
}

async function readFields(path: string): Promise<Record<string, unknown>> {
  if ((await stat(path)).size > mostConfigBytes) throw new AdapterError('adapter_config.json is too large.');
  let fields: unknown;
  try {
    fields = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    throw new AdapterError('adapter_config.json is no JSON.');
  }
  if (!isFields(fields)) throw new AdapterError('adapter_config.json is no object.');
  return fields;
}

/** Whether a setting asks for something. PEFT writes all its settings, most of them as "off". */
function isSet(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  if (name === 'bias') return value !== 'none';
  if (name === 'qalora_group_size' || name === 'megatron_core') return false;
  if (Array.isArray(value)) return value.length > 0;
  return isFields(value) ? Object.keys(value).length > 0 : true;
}

function checkTargets(value: unknown): void {
  const names = Array.isArray(value) ? value : [];
  // Names may carry the path of single layers; a pattern in one string may mean anything.
  const areKnown = names.every((name) => typeof name === 'string' && targets.has(name.split('.').at(-1) ?? ''));
  if (value !== 'all-linear' && (names.length === 0 || !areKnown)) {
    throw new AdapterError(`adapter_config.json: target_modules must be some of ${[...targets].join(', ')}.`);
  }
}

function readRank(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= mostRank) return value;
  throw new AdapterError(`adapter_config.json: ${name} must be a whole number from 1 to ${mostRank}.`);
}

function readAlpha(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new AdapterError(`adapter_config.json: ${name} must be a number above 0.`);
}

function readPattern(value: unknown, name: string, read: (item: unknown, name: string) => number): Map<string, number> {
  if (value === null || value === undefined) return new Map();
  if (!isFields(value)) throw new AdapterError(`adapter_config.json: ${name} must be an object.`);
  return new Map(
    Object.entries(value).map(([key, item]) => {
      if (!/^[A-Za-z0-9_.]+$/.test(key)) throw new AdapterError(`adapter_config.json: ${name} must hold plain names.`);
      return [key, read(item, name)];
    }),
  );
}

/** PEFT's rule: a key stands for the modules whose name is it, or ends with it behind a dot. The first one that fits counts. */
export function patternFor(patterns: ReadonlyMap<string, number>, module: string): number | null {
  for (const [key, value] of patterns) if (module === key || module.endsWith(`.${key}`)) return value;
  return null;
}

/**
 * An adapter that cannot be taken: damaged, of a kind that is not served, or made for something else. The message is one
 * line for a person and names neither paths nor values.
 */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}
