import { readFile, stat } from 'node:fs/promises';
import { isFields } from '#kernel';

/** In which PEFT keeps an adapter. */
export const peftFiles: readonly string[] = ['adapter_config.json', 'adapter_model.safetensors'];

const maxConfigBytes = 256 * 1024;
export const maxRank = 256;
const linearLayers = new Set(['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']);

/** Settings that do not change what finished weights compute, or are read below. */
const ignored = new Set([
  ...['auto_mapping', 'base_model_name_or_path', 'inference_mode', 'init_lora_weights', 'lora_alpha', 'lora_dropout'],
  ...['peft_type', 'peft_version', 'r', 'revision', 'runtime_config', 'loftq_config', 'eva_config', 'corda_config'],
  ...['target_modules', 'task_type', 'ensure_weight_tying', 'qalora_group_size', 'megatron_core'],
]);

/**
 * Reads `adapter_config.json`. Whatever PEFT can do beyond a plain LoRA on the linear layers is refused by name: it would be
 * lost silently when the adapter is served.
 */
export async function readAdapterConfig(path: string): Promise<{ rank: number; alpha: number }> {
  const { r: rank, lora_alpha: alpha, ...fields } = await readFields(path);
  for (const [name, value] of Object.entries(fields))
    if (!ignored.has(name) && isSet(name, value)) throw new AdapterError(`${name.slice(0, 60)} is not supported.`);
  if (fields.peft_type !== 'LORA') throw new AdapterError('peft_type must be LORA.');
  checkTargets(fields.target_modules);
  if (typeof rank !== 'number' || !Number.isInteger(rank) || rank < 1 || rank > maxRank)
    throw new AdapterError(`r must be a whole number from 1 to ${maxRank}.`);
  if (typeof alpha !== 'number' || !(alpha > 0) || !Number.isFinite(alpha))
    throw new AdapterError('lora_alpha must be a number above 0.');
  return { rank, alpha };
}

async function readFields(path: string): Promise<Record<string, unknown>> {
  if ((await stat(path)).size > maxConfigBytes) throw new AdapterError('adapter_config.json is too large.');
  const fields: unknown = await readFile(path, 'utf8').then(JSON.parse, () => null);
  if (!isFields(fields)) throw new AdapterError('adapter_config.json is not a JSON object.');
  return fields;
}

/** PEFT writes all its settings, most of them as "off". */
function isSet(name: string, value: unknown): boolean {
  if (name === 'bias') return value !== 'none';
  if (Array.isArray(value)) return value.length > 0;
  return isFields(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function checkTargets(value: unknown): void {
  const names = Array.isArray(value) ? value : [];
  // Names may carry the path of single layers; a pattern in one string may mean anything.
  const areKnown = names.every((name) => typeof name === 'string' && linearLayers.has(name.split('.').at(-1) ?? ''));
  if (value !== 'all-linear' && (names.length === 0 || !areKnown))
    throw new AdapterError(`target_modules must be some of ${[...linearLayers].join(', ')}.`);
}

/** An adapter that is damaged, of a kind that is not served, or made for something else. The message names no paths and values. */
export class AdapterError extends Error {
  override readonly name = 'AdapterError';
}
