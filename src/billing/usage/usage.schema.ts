import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, projectAddress, said, timestamp } from '#http';
import { formatCredits } from '#kernel';
import { ledgerTypes } from './filter.ts';
import type { LedgerRow } from './rows.store.ts';
import type { UsageTotals } from './totals.store.ts';
import type { Spending, SpendingGroup } from './usage.ts';

const filters = {
  from: Type.Optional(
    Type.String({
      ...said('Only what was written at this time or later.', '只返回此时间及之后的记录。'),
      format: 'date-time',
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...said('Only what was written before this time.', '只返回此时间之前的记录。'),
      format: 'date-time',
    }),
  ),
  project: projectAddress(
    said('Only calls of this project, `{owner}/{project}`.', '只返回该项目的记录，格式为 `{owner}/{project}`。'),
  ),
  model: Type.Optional(
    Type.String({
      ...said('Only calls of this `model`, as it was asked for.', '只返回请求中使用该 `model` 名称的记录。'),
      minLength: 1,
      maxLength: 200,
    }),
  ),
  key_id: Type.Optional(
    Type.String({
      ...said('Only calls with this API key.', '只返回使用该 API 密钥的记录。'),
      minLength: 1,
      maxLength: 64,
    }),
  ),
};

export const usageQuery = Type.Object({
  ...pageQuery,
  ...filters,
  type: Type.Optional(Type.Enum([...ledgerTypes], said('Only rows of this type.', '只返回此类型的记录。'))),
});

const mostGroups = 1_000;

export const summaryQuery = Type.Object({
  from: Type.Optional(
    Type.String({
      ...said(
        'Start of the summary; by default the 29th day (UTC) before its end.',
        '汇总的起始时间，默认为结束日之前第 29 天（UTC）。',
      ),
      format: 'date-time',
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...said('End of the summary, now by default.', '汇总的结束时间，默认为当前时间。'),
      format: 'date-time',
    }),
  ),
  group_by: Type.Enum(
    ['day', 'project', 'model', 'key', 'type'],
    said('What to sum up by. Days are those of UTC.', '汇总维度；按天汇总时以 UTC 计。'),
  ),
  limit: Type.Optional(
    Type.Integer({
      ...said('Groups at most; days are all told.', '最多返回的分组数；按天汇总时返回全部日期。'),
      minimum: 1,
      maximum: mostGroups,
      default: 100,
    }),
  ),
});

export const totalsSchema = Type.Object(
  {
    credits: creditsText(said('Sum of `credits`.', '`credits` 的合计。')),
    active_ms: Type.Integer({ ...said('Time that models worked, ms.', '模型工作的总时间（毫秒）。'), minimum: 0 }),
    requests: Type.Integer({ ...said('Calls among the rows.', '其中调用的次数。'), minimum: 0 }),
  },
  { $id: 'UsageTotals' },
);

const orNull = (english: string, chinese: string) => nullable(Type.String(), said(english, chinese));

export const ledgerRowSchema = Type.Object(
  {
    id: Type.String(said('Id of the row.', '记录的 ID。')),
    type: Type.Enum([...ledgerTypes], said('What changed the balance.', '余额变动的类型。')),
    credits: creditsText(said('Signed: what was spent is negative.', '带符号：消费为负数。')),
    balance_after: creditsText(said('Balance after this row.', '此记录之后的余额。')),
    project: nullable(
      Type.Object({
        owner: Type.String(said("Slug of the project's owner.", '项目所有者的 slug。')),
        slug: Type.String(said('Slug of the project.', '项目的 slug。')),
      }),
      said('The project that was called.', '被调用的项目。'),
    ),
    model_requested: orNull('The `model` that was asked for.', '请求中的 `model`。'),
    model_served: orNull('The base model that did the work.', '实际执行的基础模型。'),
    model_revision: nullable(Type.Integer(), said('Revision of the alias then.', '当时别名的修订版本。')),
    request_id: orNull(
      'The call, for `GET /api/v1/requests/{id}`.',
      '对应的调用，可用于 `GET /api/v1/requests/{id}`。',
    ),
    training_job_id: orNull('The training job.', '训练任务。'),
    attempt: nullable(Type.Integer(), said('Attempt of the training job.', '训练任务的尝试次数。')),
    key: nullable(
      Type.Object({
        id: Type.String(said('Id of the key.', '密钥的 ID。')),
        name: Type.String(said('Its name, also after it was deleted.', '密钥名称，删除后仍保留。')),
      }),
      said('The API key that was used.', '使用的 API 密钥。'),
    ),
    active_ms: nullable(Type.Integer(), said('Time that the model worked, ms.', '模型工作的时间（毫秒）。')),
    units: nullable(Type.Integer(), said('Units of 100 ms, rounded up.', '以 100 毫秒为单位向上取整的计费单位数。')),
    rate: nullable(
      creditsText(said('Credits per GPU minute.', '每 GPU 分钟的额度。')),
      said('The frozen rate.', '冻结的费率。'),
    ),
    price_version: orNull('Version of the price list.', '价目表版本。'),
    prompt_tokens: nullable(Type.Integer(), said('Tokens of the prompt or the inputs.', '提示词或输入的词元数。')),
    completion_tokens: nullable(Type.Integer(), said('Tokens of the answer.', '回答的词元数。')),
    outcome: nullable(
      Type.Enum(['succeeded', 'client_disconnected', 'canceled']),
      said('How the work ended.', '工作的结束方式。'),
    ),
    note: orNull('What the operator wrote about it.', '运营方的备注。'),
    created_at: timestamp(said('When it was written.', '写入时间。')),
  },
  { $id: 'LedgerRow', ...said('A row of the ledger. It never changes.', '账目中的一条记录，写入后永不改变。') },
);

const usageGroupSchema = Type.Object(
  {
    group: orNull(
      'The day, `{owner}/{project}`, model, key id or type; null: none of them. It fits the filter of the same name.',
      '日期、`{owner}/{project}`、模型、密钥 ID 或类型；为 null 表示不属于任何一项。可直接用作同名筛选条件。',
    ),
    label: orNull('A name to show.', '用于展示的名称。'),
    requests: totalsSchema.properties.requests,
    active_ms: totalsSchema.properties.active_ms,
    credits: creditsText(said('What was spent.', '消费的额度。')),
  },
  { $id: 'UsageGroup' },
);

export const summarySchema = Type.Object({
  data: Type.Array(
    usageGroupSchema,
    said(
      'Days in order, or what cost most first. Days without usage are left out.',
      '按天时按日期排序，否则按费用从高到低排序；没有用量的日期不会列出。',
    ),
  ),
  groups: Type.Integer({ ...said('Groups in all, shown or not.', '分组总数，包括未显示的。'), minimum: 0 }),
  totals: Type.Object(
    { ...totalsSchema.properties, credits: creditsText(said('What was spent.', '消费的额度。')) },
    said('Sums over all groups.', '所有分组的合计。'),
  ),
  from: timestamp(said('Start of the summary.', '汇总的起始时间。')),
  to: timestamp(said('End of the summary.', '汇总的结束时间。')),
});

export function ledgerRowToWire(row: LedgerRow): Static<typeof ledgerRowSchema> {
  const { projectOwner, projectSlug, keyId } = row;
  return {
    id: row.id,
    type: row.type,
    credits: formatCredits(row.micro),
    balance_after: formatCredits(row.balanceAfterMicro),
    project: projectOwner === null || projectSlug === null ? null : { owner: projectOwner, slug: projectSlug },
    model_requested: row.modelRequested,
    model_served: row.modelServed,
    model_revision: row.modelRevision,
    request_id: row.requestId?.startsWith('req_') ? row.requestId : null,
    training_job_id: row.trainingJobId,
    attempt: row.attempt,
    key: keyId === null ? null : { id: keyId, name: row.keyName ?? keyId },
    active_ms: row.activeMs === null ? null : Math.round(row.activeMs),
    units: row.units === null ? null : Number(row.units),
    rate: row.rateMicroPerMinute === null ? null : formatCredits(row.rateMicroPerMinute),
    price_version: row.priceVersion,
    prompt_tokens: row.promptTokens,
    completion_tokens: row.completionTokens,
    outcome: row.outcome,
    note: row.note,
    created_at: row.createdAt.toISOString(),
  };
}

export function totalsToWire({ micro, activeUs, requests }: UsageTotals): Static<typeof totalsSchema> {
  return { credits: formatCredits(micro), active_ms: milliseconds(activeUs), requests };
}

export function summaryToWire(
  { data, groups, totals }: Spending,
  span: { since: Date; until: Date },
): Static<typeof summarySchema> {
  return {
    data: data.map(groupToWire),
    groups,
    totals: totalsToWire({ ...totals, micro: -totals.micro }),
    from: span.since.toISOString(),
    to: span.until.toISOString(),
  };
}

function groupToWire({ value, label, ...sums }: SpendingGroup): Static<typeof usageGroupSchema> {
  return { group: value, label, ...totalsToWire({ ...sums, micro: -sums.micro }) };
}

function milliseconds(us: bigint): number {
  return Number((us + 500n) / 1_000n);
}
