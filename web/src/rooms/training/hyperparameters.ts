/** In the order of the form. */
export const hyperparameterNames = [
  'epochs',
  'max_steps',
  'learning_rate',
  'lora_rank',
  'lora_alpha',
  'lora_dropout',
  'batch_size',
  'gradient_accumulation',
  'warmup_ratio',
  'weight_decay',
  'max_seq_length',
  'seed',
  'packing',
  'query_instruction',
  'temperature',
  'in_batch_negatives',
] as const;
export type HyperparameterName = (typeof hyperparameterNames)[number];

export const isKnownName = (name: string): name is HyperparameterName =>
  hyperparameterNames.some((each) => each === name);

const placeOf = (name: string) => (isKnownName(name) ? hyperparameterNames.indexOf(name) : hyperparameterNames.length);

/** In the order of the form; unknown ones come last. */
export function inOrder(names: Iterable<string>): string[] {
  return [...names].sort((one, other) => placeOf(one) - placeOf(other));
}
