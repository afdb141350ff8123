import { type Actor, systemActor } from '#activity';
import { endCall } from '#calls';
import type { Database, Sql } from '#db';
import { formatCredits, type Micro } from '#kernel';
import {
  type Build,
  type EndedBuild,
  endAsCanceled,
  endAsFailed,
  endAsReady,
  type Measurement,
  noteCharge,
} from './building/build.store.ts';
import type { DatasetIndex, IndexError } from './dataset-index.ts';
import { recordIndexActivity } from './index-activity.ts';

export type BuildCost = {
  boundMicro: Micro;
  /** The message for an account that cannot pay. */
  describe: (availableMicro: Micro) => string;
};

type Payer = Pick<
  DatasetIndex,
  | ('id' | 'accountId' | 'projectId' | 'model' | 'baseModelId' | 'modelRevision' | 'rateMicroPerMinute')
  | ('priceVersion' | 'requestId' | 'keyId' | 'keyName')
>;

/** The build is done: the state and the charge are one transaction, and the first to end it is the one that counts. */
export async function endWithSuccess(database: Database, build: Build, measured: Measurement): Promise<void> {
  await database.transaction(async (tx) => {
    const ended = await endAsReady(tx, build, measured);
    if (!ended) return;
    const micro = await charge(tx, build, { ended, outcome: 'succeeded' });
    await recordIndexActivity(tx, build, {
      type: 'index.ready',
      severity: 'success',
      message: `The index over "${build.datasetName}" with ${build.model} is ready.`,
      data: { credits: formatCredits(micro) },
      actor: systemActor,
    });
  });
}

/** Whatever the reason, what failed costs nothing. */
export async function endWithFailure(database: Database, build: Build, error: IndexError): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await endAsFailed(tx, build, error))) return;
    await recordIndexActivity(tx, build, {
      type: 'index.failed',
      severity: 'error',
      message: `The index over "${build.datasetName}" with ${build.model} could not be built: ${error.message}`,
      data: { error },
      actor: systemActor,
    });
  });
}

export type Canceling = {
  index: DatasetIndex;
  datasetName: string;
  project: { ownerSlug: string; slug: string };
  actor: Actor;
  requestId: string;
};

/** What ran until now is paid for. False: it had ended already. */
export async function cancelBuild(
  tx: Sql,
  { index, datasetName, project, actor, requestId }: Canceling,
): Promise<boolean> {
  const ended = await endAsCanceled(tx, index.id);
  if (!ended) return false;
  const micro = await charge(tx, index, { ended, outcome: 'canceled' });
  const subject = { ...index, datasetName, ownerSlug: project.ownerSlug, projectSlug: project.slug };
  await recordIndexActivity(tx, subject, {
    type: 'index.canceled',
    severity: 'info',
    message: `The build of the index over "${datasetName}" with ${index.model} was canceled.`,
    data: { credits: formatCredits(micro) },
    actor,
    requestId,
  });
  return true;
}

async function charge(
  tx: Sql,
  payer: Payer,
  { ended, outcome }: { ended: EndedBuild; outcome: 'succeeded' | 'canceled' },
): Promise<Micro> {
  const { activeMs, promptTokens, heldMicro, lease } = ended;
  // Nothing ran.
  if (activeMs === 0) return 0n;
  const micro = await endCall(tx, {
    charge: {
      type: 'index',
      callId: lease ?? payer.requestId,
      requestId: payer.requestId,
      accountId: payer.accountId,
      keyId: payer.keyId,
      keyName: payer.keyName,
      projectId: payer.projectId,
      operation: 'dataset_indexes.create',
      modelRequested: payer.model,
      modelServed: payer.baseModelId,
      modelRevision: payer.modelRevision,
      activeMs,
      rateMicroPerMinute: payer.rateMicroPerMinute,
      priceVersion: payer.priceVersion,
      heldMicro,
      usage: { promptTokens: Number(promptTokens), completionTokens: 0 },
      outcome,
    },
    keyed: null,
  });
  await noteCharge(tx, payer.id, micro);
  return micro;
}
