import Type, { type TSchema } from 'typebox';
import { creditsText, nullable, said, timestamp } from '#http';
import { windowNames } from './window.ts';

export const dashboardQuery = Type.Object({
  window: Type.Optional(
    Type.Enum([...windowNames], {
      ...said(
        'How far back: the hour that runs and the 23 before it, or today (UTC) and the 6 or 29 days before.',
        '统计范围：当前小时及之前 23 小时，或今天（UTC）及之前 6 天、29 天。',
      ),
      default: '7d',
    }),
  ),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
const text = (english: string, chinese: string) => Type.String(said(english, chinese));

const place = Type.Object(
  {
    owner: text("Slug of the project's owner.", '项目所有者的 slug。'),
    slug: text('Slug of the project.', '项目的 slug。'),
  },
  said('The project.', '所属项目。'),
);

const creditsSchema = Type.Object(
  {
    available: creditsText(said('What can be spent.', '可用额度。')),
    reserved: creditsText(said('Held for calls that run.', '为正在进行的调用预留的额度。')),
    spent_window: creditsText(said('Spent in the window.', '统计范围内的消费。')),
    projected_days_left: nullable(
      Type.Integer({ minimum: 0 }),
      said(
        'Whole days that the available credits last at the pace of the window; null: nothing was spent.',
        '按统计范围内的消费速度，可用额度还能维持的整天数；没有消费时为 null。',
      ),
    ),
  },
  said('Credits of the account.', '账户额度。'),
);

const usageSchema = Type.Object(
  {
    requests: count('Calls that ended, those that failed included.', '已结束的调用次数，包含失败的调用。'),
    errors: count(
      'Calls that failed; callers who left do not count. At most 100,000 of one point.',
      '失败的调用次数，不含调用方主动断开的情况；每个数据点最多计 100,000 次。',
    ),
    active_ms: count('Active time that was charged, ms.', '计费的活跃时间（毫秒）。'),
    credits: creditsText(said('Spent in the window.', '统计范围内的消费。')),
    p50_ms: count(
      'Median active time of a call, over the latest 2,000 ledger rows at most.',
      '单次调用活跃时间的中位数（毫秒），最多取最近 2,000 条账目。',
    ),
    p95_ms: count('The same: 95 of 100 calls take less.', '同上的 95 分位数（毫秒）。'),
    series: Type.Array(
      Type.Object({
        at: timestamp(said('Start of the hour or day, UTC.', '该小时或该天的起点（UTC）。')),
        requests: count('Calls that ended.', '已结束的调用次数。'),
        errors: count('Calls that failed.', '失败的调用次数。'),
        credits: creditsText(said('Credits spent.', '消费的额度。')),
      }),
      said('One point an hour (24h) or a day, the earliest first.', '每小时（24h）或每天一个数据点，按时间正序排列。'),
    ),
  },
  said('Calls, training and indexes in the window.', '统计范围内的调用、训练与索引。'),
);

const projectsSchema = Type.Object(
  {
    total: count('Own projects that are not archived.', '自己的未归档项目数。'),
    recent: Type.Array(
      Type.Object({
        id: text('Id of the project.', '项目的 ID。'),
        owner: text('Slug of its owner.', '所有者的 slug。'),
        slug: text('Its slug.', '项目的 slug。'),
        name: text('Display name.', '显示名称。'),
        kind: Type.Enum(['text', 'embedding'], said('What its models do.', '项目中模型的类型。')),
        visibility: Type.Enum(['private', 'public'], said('Who may see it.', '可见范围。')),
        created_at: timestamp(said('When it was made.', '创建时间。')),
        updated_at: timestamp(said('When it was last changed.', '最近修改时间。')),
      }),
      said('The newest five.', '最新的五个项目。'),
    ),
  },
  said('Projects of the account.', '账户的项目。'),
);

const trainingSchema = Type.Object(
  {
    active: Type.Array(
      Type.Object({
        id: text('Id of the job.', '任务的 ID。'),
        name: text('Its name.', '任务名称。'),
        project: place,
        state: text('Its state.', '任务状态。'),
        percent: nullable(Type.Number({ minimum: 0, maximum: 100 }), said('How far it is.', '完成百分比。')),
      }),
      said('Jobs that run.', '正在运行的任务。'),
    ),
    queued: count('Jobs that wait.', '排队中的任务数。'),
    failed_window: count('Jobs that failed in the window.', '统计范围内失败的任务数。'),
    last_succeeded: nullable(
      Type.Object({
        id: text('Id of the job.', '任务的 ID。'),
        name: text('Its name.', '任务名称。'),
        project: place,
        finished_at: timestamp(said('When it finished.', '完成时间。')),
      }),
      said('The last job that succeeded.', '最近一次成功的任务。'),
    ),
  },
  said('Training jobs.', '训练任务。'),
);

const modelsSchema = Type.Object(
  {
    active: count('Hosted models that can be called.', '可调用的托管模型数。'),
    warming: count('Those being checked.', '正在预热的托管模型数。'),
    failed: count('Those that could not be loaded.', '加载失败的托管模型数。'),
    top: Type.Array(
      Type.Object({
        model: text('The name that was called.', '调用时使用的模型名称。'),
        requests: count('Calls that were charged.', '计费的调用次数。'),
        credits: creditsText(said('Credits spent.', '消费的额度。')),
      }),
      said('The five that cost most in the window.', '统计范围内消费最多的五个模型。'),
    ),
  },
  said('Hosted models.', '托管模型。'),
);

const alertSchema = Type.Object({
  code: Type.Enum(
    ['low_credits', 'job_failed', 'model_failed', 'import_waiting', 'key_unused'],
    said('What it is about.', '提醒类别。'),
  ),
  severity: Type.Enum(['info', 'warning', 'error'], said('How much attention it deserves.', '重要程度。')),
  message: text('One English sentence.', '一句英文说明。'),
  href: text('Page of the web app where it is mended.', '在网页应用中处理该问题的路径。'),
});

const object = <Fields extends Record<string, TSchema>>(fields: Fields, english: string, chinese: string) =>
  Type.Object(fields, said(english, chinese));

export const dashboardSchema = Type.Object(
  {
    as_of: timestamp(said('The moment that it is about.', '数据所属时刻。')),
    window: Type.Enum([...windowNames], said('The window that was asked for.', '请求的统计范围。')),
    credits: creditsSchema,
    usage: usageSchema,
    projects: projectsSchema,
    training: trainingSchema,
    models: modelsSchema,
    feedback: object(
      {
        pending: count('Retrieval events that wait.', '待处理的检索事件数。'),
        needs_judgment: count('Those that a person must judge.', '需要人工判断的事件数。'),
        promoted_window: count('Examples made of events in the window.', '统计范围内转为样本的数量。'),
      },
      'Search feedback.',
      '检索反馈。',
    ),
    imports: object(
      {
        awaiting_confirmation: count('Imports that wait for a confirmation.', '等待确认的导入数。'),
        failed_window: count('Imports that failed in the window.', '统计范围内失败的导入数。'),
      },
      'Imports.',
      '导入。',
    ),
    keys: object(
      {
        active: count('Keys that authenticate.', '启用中的密钥数。'),
        unused_30d: count('Active keys that were not used for 30 days.', '30 天未使用的启用中密钥数。'),
      },
      'API keys.',
      'API 密钥。',
    ),
    alerts: Type.Array(
      alertSchema,
      said('What the owner should look at, the worst first.', '需要关注的事项，最严重的在前。'),
    ),
    getting_started: object(
      {
        project: Type.Boolean(said('There is a project.', '已有项目。')),
        key: Type.Boolean(said('There is a key.', '已有密钥。')),
        first_call: Type.Boolean(said('A model was called.', '已完成首次调用。')),
        dataset: Type.Boolean(said('There is a dataset.', '已有数据集。')),
        training: Type.Boolean(said('There is a training job.', '已有训练任务。')),
      },
      'First steps that are done.',
      '已完成的入门步骤。',
    ),
  },
  { $id: 'Dashboard' },
);
