import { type ActivityType, type Actor, recordActivity, type Severity } from '#activity';
import type { Sql } from '#db';
import type { HostedModel } from './hosted-models.store.ts';

/** Who changes a hosted model, and where: what every row of the feed about it says. */
export type By = {
  actor: Actor;
  requestId: string | null;
  /** The project's owner, whose feed it is. */
  accountId: string;
  project: { ownerSlug: string; slug: string };
};

export type HostedHappening = {
  type: ActivityType;
  severity?: Severity;
  message: string;
  data?: Record<string, unknown>;
};

/** Tells the feed of the project's owner; in the transaction of the change. */
export async function tellOfHosted(
  tx: Sql,
  { by, model }: { by: By; model: HostedModel },
  { type, severity = 'info', message, data = {} }: HostedHappening,
): Promise<void> {
  await recordActivity(tx, {
    accountId: by.accountId,
    type,
    severity,
    actor: by.actor,
    project: by.project,
    subject: { kind: 'hosted_model', id: model.id, label: model.alias },
    message,
    data: { revision: model.revision, target: { type: model.targetType, id: model.targetId }, ...data },
    ...(by.requestId === null ? {} : { requestId: by.requestId }),
  });
}
