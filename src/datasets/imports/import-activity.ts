import { type Actor, recordActivity, type Severity, systemActor } from '#activity';
import type { Sql } from '#db';
import type { RunningImport } from './import-runs.store.ts';

type ImportOutcome = 'ready' | 'completed' | 'failed' | 'canceled';

const severities: Record<ImportOutcome, Severity> = {
  ready: 'info',
  completed: 'success',
  failed: 'error',
  canceled: 'info',
};

const messages: Record<ImportOutcome, string> = {
  ready: 'was read and waits for its confirmation',
  completed: 'was imported',
  failed: 'could not be imported',
  canceled: 'will not be imported',
};

type Subject = Pick<RunningImport, 'id' | 'fileName' | 'accountId' | 'ownerSlug' | 'projectSlug' | 'requestId'>;

export async function recordImportActivity(
  tx: Sql,
  run: Subject,
  outcome: ImportOutcome,
  data: object,
  by: { actor: Actor; requestId: string | null } | null = null,
): Promise<void> {
  const requestId = by?.requestId ?? run.requestId;
  await recordActivity(tx, {
    accountId: run.accountId,
    type: `import.${outcome}`,
    severity: severities[outcome],
    actor: by?.actor ?? systemActor,
    project: { ownerSlug: run.ownerSlug, slug: run.projectSlug },
    subject: { kind: 'import', id: run.id, label: run.fileName },
    message: `The file "${run.fileName}" ${messages[outcome]}.`,
    data: { ...data },
    ...(requestId === null ? {} : { requestId }),
  });
}
