import { catalogue, useTexts } from '../../i18n/catalogue.ts';

export const hyperparameterTexts = catalogue(
  {
    yes: 'yes',
    no: 'no',
    none: '–',
    names: {
      epochs: 'Epochs',
      max_steps: 'Max steps',
      learning_rate: 'Learning rate',
      lora_rank: 'LoRA rank',
      lora_alpha: 'LoRA alpha',
      lora_dropout: 'LoRA dropout',
      batch_size: 'Batch size',
      gradient_accumulation: 'Gradient accumulation',
      warmup_ratio: 'Warm-up',
      weight_decay: 'Weight decay',
      max_seq_length: 'Max sequence length',
      seed: 'Seed',
      packing: 'Packing',
      query_instruction: 'Query instruction',
      temperature: 'Temperature',
      in_batch_negatives: 'Negatives in the batch',
    },
    hints: {
      epochs: 'Passes over the examples. Too many lead to memorisation.',
      max_steps: 'Ends earlier than the epochs would. Empty: not limited.',
      learning_rate: 'Size of a step. Lower it when the loss jumps.',
      lora_rank: 'Capacity of the adapter; 8 to 32 suits most tasks.',
      lora_alpha: 'Weight of the adapter, usually twice the rank.',
      lora_dropout: 'Dropout rate, which reduces memorisation.',
      batch_size: 'Examples in a step. Lower it when memory runs out.',
      gradient_accumulation: 'Batches that make one step.',
      warmup_ratio: 'Share of the steps in which the rate grows: 5 to 100 of them.',
      weight_decay: 'Pulls weights towards zero.',
      max_seq_length: 'In tokens; what is longer is left out or cut.',
      seed: 'The same seed, data and settings give the same result.',
      packing: 'Several examples in one sequence.',
      query_instruction: 'Prefix of queries, in training and in calls.',
      temperature: 'How sharply right and wrong texts are separated.',
      in_batch_negatives: 'Answers of other queries count as wrong ones.',
    },
  },
  {
    yes: '是',
    no: '否',
    none: '–',
    names: {
      epochs: '轮数',
      max_steps: '最大步数',
      learning_rate: '学习率',
      lora_rank: 'LoRA 秩',
      lora_alpha: 'LoRA alpha',
      lora_dropout: 'LoRA dropout',
      batch_size: '批大小',
      gradient_accumulation: '梯度累积',
      warmup_ratio: '预热比例',
      weight_decay: '权重衰减',
      max_seq_length: '最大序列长度',
      seed: '随机种子',
      packing: '打包',
      query_instruction: '查询指令',
      temperature: '温度',
      in_batch_negatives: '批内负例',
    },
    hints: {
      epochs: '每个样本被学习的次数，过多会死记硬背。',
      max_steps: '提前于轮数结束。留空表示不限制。',
      learning_rate: '每步的大小，损失跳动时应调低。',
      lora_rank: '可学习内容的容量，多数情况 8 至 32 即可。',
      lora_alpha: '适配器的权重，通常为秩的两倍。',
      lora_dropout: '随机忽略的比例，防止死记硬背。',
      batch_size: '每步的样本数，内存不足时应调低。',
      gradient_accumulation: '合并为一步的批数。',
      warmup_ratio: '学习率逐渐增大的步数比例，为 5 至 100 步。',
      weight_decay: '使权重趋近于零。',
      max_seq_length: '以词元计，超出的样本被舍弃或截断。',
      seed: '相同的种子、数据和设置会得到相同的结果。',
      packing: '将多个样本放入一个序列。',
      query_instruction: '训练和调用时加在查询之前。',
      temperature: '区分正误的锐利程度。',
      in_batch_negatives: '将其他查询的答案视为负例。',
    },
  },
);

export type HyperparameterName = keyof (typeof hyperparameterTexts)['en']['names'];

// as: the names are the keys of the texts.
export const hyperparameterNames = Object.keys(hyperparameterTexts.en.names) as HyperparameterName[];

const isKnownName = (name: string): name is HyperparameterName => hyperparameterNames.some((each) => each === name);

/** In the order of the form; unknown ones come last. */
export function inOrder(settings: Record<string, unknown>): [string, unknown][] {
  const placeOf = (name: string) =>
    isKnownName(name) ? hyperparameterNames.indexOf(name) : hyperparameterNames.length;
  return Object.entries(settings).sort(([one], [other]) => placeOf(one) - placeOf(other));
}

/** Settings of newer servers keep the name of the API. */
export function useHyperparameterName(): (name: string) => string {
  const t = useTexts(hyperparameterTexts);
  return (name) => (isKnownName(name) ? t.names[name] : name);
}
