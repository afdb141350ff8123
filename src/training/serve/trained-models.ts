import type { Sql } from '#db';
import type { TrainedModel, TrainedModels } from '#models';
import { artifactKeys } from '../publish/artifacts.ts';
import { servingOf } from '../settings/hyperparameters.ts';
import type { AdapterFiles } from './adapter-files.ts';
import { findServedJobs, type ServedJobRow } from './served-jobs.store.ts';

/** What a call names, and who calls. */
export type CallQuestion = {
  requested: string | null;
  alias: { targetType: string; targetId: string } | null;
  accountId: string;
};

export type ServedJobs = TrainedModels & {
  /** The job behind a call, as far as the caller may use it; null: there is none. */
  ofCall: (question: CallQuestion) => Promise<TrainedModel | null>;
};

const jobPrefix = 'training-job#';
/** Jobs that have succeeded never change: those called last are known without a question. */
const mostKnown = 2_000;

type Known = { model: TrainedModel; accountId: string };

export function createServedJobs({ sql, files }: { sql: Sql; files: AdapterFiles }): ServedJobs {
  const known = new Map<string, Known>();

  async function modelOf(job: ServedJobRow): Promise<Known> {
    const adapter =
      job.state === 'succeeded' && job.adapterSha256 !== null
        ? await files.fetch({
            sha256: job.adapterSha256,
            key: artifactKeys({ jobId: job.id, attempt: job.attempt }).adapter,
          })
        : null;
    const model: TrainedModel = {
      ...{ jobId: job.id, kind: job.kind, baseModelId: job.baseModelId, state: job.state, adapter },
      ...(job.kind === 'embedding' ? servingOf(job.hyperparameters) : { maxInputTokens: null, queryInstruction: null }),
    };
    const entry = { model, accountId: job.accountId };
    if (adapter) remember(job.id, entry);
    return entry;
  }

  function remember(jobId: string, entry: Known): void {
    known.delete(jobId);
    known.set(jobId, entry);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  }

  async function findAll(jobIds: readonly string[]): Promise<Known[]> {
    const there = jobIds.flatMap((id) => known.get(id) ?? []);
    const missing = jobIds.filter((id) => isJobId(id) && !known.has(id));
    if (missing.length === 0) return there;
    return [...there, ...(await Promise.all((await findServedJobs(sql, missing)).map(modelOf)))];
  }

  return {
    async find(jobIds, accountId) {
      const found = (await findAll(jobIds)).filter((each) => each.accountId === accountId);
      return new Map(found.map(({ model }) => [model.jobId, model]));
    },
    async ofCall({ requested, alias, accountId }) {
      if (requested?.startsWith(jobPrefix)) {
        const [job] = await findAll([requested.slice(jobPrefix.length)]);
        return job?.accountId === accountId ? job.model : null;
      }
      // Whoever may call the alias may call what it stands for: that was its owner's when he put it there.
      if (alias?.targetType !== 'training_job') return null;
      const [job] = await findAll([alias.targetId]);
      return job?.model ?? null;
    },
  };
}

/** What is no id may hold characters that the database does not take. */
function isJobId(text: string): boolean {
  return /^job_[0-9A-Z]{26}$/.test(text);
}
