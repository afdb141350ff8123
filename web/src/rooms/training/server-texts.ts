import { type Language, useLanguage } from '../../i18n/language.tsx';
import type { Plan } from './training-changes.ts';
import type { Job } from './training-queries.ts';

type Failure = NonNullable<Job['error']>;
type Warning = Plan['warnings'][number];

/** Messages of the server in Chinese; their numbers are kept. */
const failures: Record<string, { what: string; next: string }> = {
  out_of_memory: {
    what: '内存不足。',
    next: '请将 batch_size 调低至 2 或将 max_seq_length 调低至 512，并提高 gradient_accumulation。',
  },
  dataset_invalid: { what: '数据集无法用于训练。', next: '请修正所列样本，冻结新版本后再训练。' },
  base_model_unavailable: { what: '基础模型不可用。', next: '请联系运营方安装带训练权重的基础模型，然后重试。' },
  loss_diverged: { what: '损失发散。', next: '请将 learning_rate 调低至三分之一或提高 warmup_ratio，并检查异常样本。' },
  time_limit: { what: '超出时间限制。', next: '请减少轮数或样本，或从最近的检查点重试。' },
  worker_lost: { what: '执行进程丢失。', next: '请从检查点重试；若再次发生，请告知运营方，可能内存不足。' },
  artifact_write_failed: { what: '无法写入结果。', next: '请从检查点重试；若再次失败，请告知运营方，可能磁盘已满。' },
  internal_error: { what: '内部错误。', next: '请从检查点重试；若再次失败，请将任务编号告知运营方。' },
};

/** API fields in messages, and their names in the form. */
const formWarnings: Record<string, (numbers: readonly string[]) => string> = {
  nothing_held_out: () =>
    'No example is held out, so nothing will tell how much was learned. Give a share that is held out, under “All settings”.',
  few_steps: ([steps = '']) =>
    `Training takes ${steps} steps only. Lower the batch size or raise the epochs if nothing is learned.`,
};

const warnings: Record<string, (numbers: readonly string[]) => string> = {
  few_examples: ([count = '']) => `样本只有 ${count} 个，偏少：更可能改变回答方式，而非增加知识。`,
  nothing_held_out: () => '没有留出样本，无法衡量学习效果。请在“全部设置”中填写留出比例。',
  invalid_examples: ([count = '']) => `${count} 条样本无法用于学习，将被忽略。`,
  long_examples: ([limit = '', count = '']) => `超过 ${limit} 个词元的样本将被舍弃或截断：此数据集中有 ${count} 条。`,
  control_is_learned: () => '对照集来自所学的数据集，无法衡量遗忘了什么。',
  few_steps: ([steps = '']) => `训练只有 ${steps} 步。若没有学到内容，请降低批大小或提高轮数。`,
};

export function useFailureText(): (failure: Failure) => string {
  const { language } = useLanguage();
  return ({ code, message, hint }) => {
    const known = failures[code];
    return language === 'zh' && known ? `${known.what}${known.next}（${message}）` : `${message} ${hint}`;
  };
}

export function useWarningText(): (warning: Warning) => string {
  const { language } = useLanguage();
  return (warning) => warningText(warning, language);
}

function warningText({ code, message }: Warning, language: Language): string {
  const known = (language === 'zh' ? warnings : formWarnings)[code];
  return known ? known(message.match(/\d+/g) ?? []) : message;
}
