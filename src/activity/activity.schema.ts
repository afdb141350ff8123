import Type, { type Static } from 'typebox';
import { nullable, pageQuery, projectAddress, said, timestamp } from '#http';
import type { ActivityRow } from './activity.store.ts';
import { activityTypes } from './activity-types.ts';
import { hrefOf } from './subject-href.ts';

export const activityQuery = Type.Object({
  ...pageQuery,
  archived: Type.Optional(
    Type.Enum(['false', 'true', 'all'], {
      ...said('What is archived: `false` leaves it out.', '归档筛选：`false` 表示不包含已归档的记录。'),
      default: 'false',
    }),
  ),
  type: Type.Optional(Type.Enum([...activityTypes], said('Only what is of this type.', '只返回此类型的记录。'))),
  project: projectAddress(
    said(
      'Only what happened in this project, `{owner}/{project}`.',
      '只返回该项目中的记录，格式为 `{owner}/{project}`。',
    ),
  ),
  actor_id: Type.Optional(
    Type.String({
      ...said('Only what this account or API key did.', '只返回该账户或 API 密钥执行的操作。'),
      minLength: 1,
      maxLength: 64,
    }),
  ),
});

export const archiveBody = Type.Object({
  before: Type.Optional(
    Type.String({ ...said('What happened before this time.', '归档此时间之前的记录。'), format: 'date-time' }),
  ),
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      ...said('These rows; ids that are not yours count as none.', '归档这些记录；不属于你的 ID 会被忽略。'),
      minItems: 1,
      maxItems: 100,
    }),
  ),
});

export const activitySchema = Type.Object(
  {
    id: Type.String(said('Id of the row.', '记录的 ID。')),
    type: Type.String(
      said(
        'What happened, such as `key.created`. New types may be added; show unknown ones by their message.',
        '发生的事件，例如 `key.created`。以后可能新增类型；遇到未知类型时请直接显示 message。',
      ),
    ),
    severity: Type.Enum(['info', 'success', 'warning', 'error'], said('How much attention it deserves.', '重要程度。')),
    actor: Type.Object(
      {
        kind: Type.Enum(
          ['account', 'api_key', 'system'],
          said('A signed-in account, an API key, or the service itself.', '已登录的账户、API 密钥或服务自身。'),
        ),
        id: nullable(Type.String(), said('Id of the account or key.', '账户或密钥的 ID。')),
        label: Type.String(said('Its name at that time.', '当时的名称。')),
      },
      said('Who did it.', '操作者。'),
    ),
    project: nullable(
      Type.Object({
        owner: Type.String(said("Slug of the project's owner.", '项目所有者的 slug。')),
        slug: Type.String(said('Slug of the project.', '项目的 slug。')),
      }),
      said('The project where it happened; null: it concerns the account.', '所在项目；为 null 表示与账户本身有关。'),
    ),
    subject: Type.Object(
      {
        kind: Type.String(said('Kind of thing, such as `key`.', '对象种类，例如 `key`。')),
        id: Type.String(said('Its id. The thing may be gone.', '对象的 ID，对象可能已被删除。')),
        label: Type.String(said('Its name at that time.', '当时的名称。')),
        href: Type.String(said('Page of the web app that shows it.', '在网页应用中显示该对象的路径。')),
      },
      said('What it happened to.', '事件涉及的对象。'),
    ),
    message: Type.String(said('What happened, in one English sentence.', '用一句英文描述发生了什么。')),
    data: Type.Object({}, said('Details, by type. Never a secret.', '随类型而异的详细信息，绝不包含机密。')),
    request_id: nullable(Type.String(), said('The request that did it.', '触发此事件的请求。')),
    archived: Type.Boolean(said('Taken out of the feed.', '是否已归档。')),
    created_at: timestamp(said('When it happened.', '发生时间。')),
  },
  {
    $id: 'Activity',
    ...said(
      'A row of the feed. It never changes but for `archived`.',
      '动态中的一条记录。除 `archived` 外，内容永不改变。',
    ),
  },
);

export type ActivityWire = Static<typeof activitySchema>;

export function activityToWire(row: ActivityRow): ActivityWire {
  const { projectOwner, projectSlug } = row;
  const project = projectOwner === null || projectSlug === null ? null : { owner: projectOwner, slug: projectSlug };
  const subject = { kind: row.subjectKind, id: row.subjectId, label: row.subjectLabel };
  const place = project && { ownerSlug: project.owner, slug: project.slug };
  return {
    id: row.id,
    type: row.type,
    severity: row.severity,
    actor: { kind: row.actorKind, id: row.actorId, label: row.actorLabel },
    project,
    subject: { ...subject, href: hrefOf(subject, place) },
    message: row.message,
    data: row.data,
    request_id: row.requestId,
    archived: row.archivedAt !== null,
    created_at: row.createdAt.toISOString(),
  };
}
