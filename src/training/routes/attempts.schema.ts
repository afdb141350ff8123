import Type from 'typebox';
import { creditsText, said, timestamp } from '#http';
import { jobStates } from '../jobs/lifecycle.ts';
import { count, orNull, resumeFields, timeOrNull } from './fields.ts';
import { jobErrorSchema } from './jobs.schema.ts';

export const attemptSchema = Type.Object(
  {
    number: Type.Integer(said('1 for the first.', '编号，从 1 开始。')),
    state: Type.Enum([...jobStates], said('Where it is, or how it ended.', '状态。')),
    resumed_from: orNull(Type.Object(resumeFields), 'Checkpoint that it began with.', '起始检查点。'),
    started_at: timeOrNull('When training began.', '训练开始时间。'),
    finished_at: timeOrNull('When it was over.', '结束时间。'),
    active_ms: count('Active time, ms.', '有效时间（毫秒）。'),
    billed_ms: count('Of it, what was charged for, ms.', '其中已计费的时间（毫秒）。'),
    credits: creditsText(said('What was charged.', '已扣额度。')),
    steps: count('Steps done.', '步数。'),
    error: orNull(jobErrorSchema, 'Why it failed.', '失败原因。'),
    checkpoints: Type.Array(
      Type.Object({
        step: count('The step after which it was written.', '写入时的步数。'),
        loss: orNull(Type.Number(), 'Loss of that step.', '该步的损失。'),
        eval_loss: orNull(Type.Number(), 'Loss on held-out examples.', '留出样本的损失。'),
        size_bytes: count('Its size.', '大小（字节）。'),
        created_at: timestamp(said('When it was written.', '写入时间。')),
      }),
      said('Places to go on from.', '可继续的检查点。'),
    ),
  },
  { $id: 'TrainingAttempt', ...said('One try at a job.', '任务的一次尝试。') },
);
