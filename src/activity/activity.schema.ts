import Type, { type Static } from 'typebox';
import { nullable, pageQuery, projectAddress, timestamp } from '#http';
import type { ActivityRow } from './activity.store.ts';
import { activityTypes } from './activity-types.ts';
import { hrefOf } from './subject-href.ts';

export const activityQuery = Type.Object({
  ...pageQuery,
  archived: Type.Optional(
    Type.Enum(['false', 'true', 'all'], {
      description: 'What is archived: `false` leaves it out.',
      default: 'false',
    }),
  ),
  type: Type.Optional(Type.Enum([...activityTypes], { description: 'Only what is of this type.' })),
  project: projectAddress('Only what happened in this project, `{owner}/{project}`.'),
  actor_id: Type.Optional(
    Type.String({
      description: 'Only what this account or API key did.',
      minLength: 1,
      maxLength: 64,
    }),
  ),
});

export const archiveBody = Type.Object({
  before: Type.Optional(Type.String({ description: 'What happened before this time.', format: 'date-time' })),
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: 'These rows; ids that are not yours count as none.',
      minItems: 1,
      maxItems: 100,
    }),
  ),
});

export const activitySchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the row.' }),
    type: Type.String({
      description: 'What happened, such as `key.created`. New types may be added; show unknown ones by their message.',
    }),
    severity: Type.Enum(['info', 'success', 'warning', 'error'], { description: 'How much attention it deserves.' }),
    actor: Type.Object(
      {
        kind: Type.Enum(['account', 'api_key', 'system'], {
          description: 'A signed-in account, an API key, or the service itself.',
        }),
        id: nullable(Type.String(), 'Id of the account or key.'),
        label: Type.String({ description: 'Its name at that time.' }),
      },
      { description: 'Who did it.' },
    ),
    project: nullable(
      Type.Object({
        owner: Type.String({ description: "Slug of the project's owner." }),
        slug: Type.String({ description: 'Slug of the project.' }),
      }),
      'The project where it happened; null: it concerns the account.',
    ),
    subject: Type.Object(
      {
        kind: Type.String({ description: 'Kind of thing, such as `key`.' }),
        id: Type.String({ description: 'Its id. The thing may be gone.' }),
        label: Type.String({ description: 'Its name at that time.' }),
        href: Type.String({ description: 'Page of the web app that shows it.' }),
      },
      { description: 'What it happened to.' },
    ),
    message: Type.String({ description: 'What happened, in one English sentence.' }),
    data: Type.Object({}, { description: 'Details, by type. Never a secret.' }),
    request_id: nullable(Type.String(), 'The request that did it.'),
    archived: Type.Boolean({ description: 'Taken out of the feed.' }),
    created_at: timestamp('When it happened.'),
  },
  {
    $id: 'Activity',
    description: 'A row of the feed. It never changes but for `archived`.',
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
