import type { Sql } from '#db';
import type { Adapter } from '#engine';
import { isId } from '#kernel';
import type { TrainedFacts, TrainedJobs, TrainedModel, TrainedModels } from '#models';
import type { ObjectStore } from '#objects';
import { unpackFiles } from '../adapters/adapter-archive.ts';
import { peftFiles } from '../adapters/adapter-config.ts';
import { artifactKeys } from '../jobs/job.ts';
import { servingOf } from '../settings/hyperparameters.ts';
import type { AdapterFiles } from './adapter-files.ts';
import { findServedJobs, isOfPublicProject, type ServedJobRow } from './served-jobs.store.ts';

type TrainedModelQuery = {
  requested: string | null;
  alias: { targetType: string; targetId: string } | null;
  accountId: string;
};

export type ServedJobs = TrainedModels &
  TrainedJobs & {
    /**
     * The job behind a call, as far as the caller may use it: a job that is called by its id is one of his own, or of a project
     * that is public. Null: there is none.
     */
    ofCall: (query: TrainedModelQuery) => Promise<TrainedModel | null>;
    /** The same for what an account makes of its own: only its own jobs. */
    ofAccount: (query: TrainedModelQuery) => Promise<TrainedModel | null>;
    /** Sees to it that the file of an adapter of a job that was found is there, and stays for an hour at least. */
    provideFile: (adapter: Adapter) => Promise<void>;
    writePeft: (adapterSha256: string, folder: string) => Promise<void>;
  };

const jobPrefix = 'training-job#';
/** Jobs that have succeeded never change: those called last are known without a question. */
const mostKnownJobs = 2_000;

type ServedJob = { model: TrainedModel; accountId: string; archiveKey: string };

type ServedJobsDeps = { sql: Sql; files: AdapterFiles; objects: ObjectStore; mostKnown?: number };

export function createServedJobs({ sql, files, objects, mostKnown = mostKnownJobs }: ServedJobsDeps): ServedJobs {
  const known = new Map<string, ServedJob>();
  const archives = new Map<string, string>();

  async function modelOf(job: ServedJobRow): Promise<ServedJob> {
    const keys = artifactKeys({ jobId: job.id, attempt: job.attempt });
    const sha256 = job.state === 'succeeded' ? job.adapterSha256 : null;
    const adapter = sha256 === null ? null : await files.fetch({ sha256, key: keys.adapter });
    const { kind, baseModelId, state } = job;
    const model: TrainedModel = { ...factsOf(job), kind, baseModelId, state, adapter };
    return { model, accountId: job.accountId, archiveKey: keys.archive };
  }

  function remember(job: ServedJob): void {
    const { jobId, adapter } = job.model;
    if (!adapter) return;
    keepLatest(known, { key: jobId, value: job, most: mostKnown });
    keepLatest(archives, { key: adapter.sha256, value: job.archiveKey, most: mostKnown });
  }

  async function findAll(jobIds: readonly string[]): Promise<ServedJob[]> {
    const there = jobIds.flatMap((id) => known.get(id) ?? []);
    const missing = jobIds.filter((id) => isId('job', id) && !known.has(id));
    const found = missing.length === 0 ? [] : await Promise.all((await findServedJobs(sql, missing)).map(modelOf));
    const all = [...there, ...found];
    for (const job of all) remember(job);
    return all;
  }

  /** What is called. Whoever may call an alias may call what it stands for: that was its owner's when he put it there. */
  async function named({ requested, alias }: TrainedModelQuery): Promise<{ job: ServedJob; byId: boolean } | null> {
    const byId = requested?.startsWith(jobPrefix) === true;
    const id = byId ? requested.slice(jobPrefix.length) : alias?.targetType === 'training_job' ? alias.targetId : null;
    const [job] = id === null ? [] : await findAll([id]);
    return job ? { job, byId } : null;
  }

  return {
    async find(jobIds, accountId) {
      const found = (await findAll(jobIds)).filter((each) => each.accountId === accountId);
      return new Map(found.map(({ model }) => [model.jobId, model]));
    },
    async describe(jobs) {
      const owners = new Map(jobs.map(({ jobId, accountId }) => [jobId, accountId]));
      const jobIds = [...owners.keys()].filter((id) => isId('job', id));
      const rows = jobIds.length === 0 ? [] : await findServedJobs(sql, jobIds);
      return new Map(rows.filter((row) => row.accountId === owners.get(row.id)).map((row) => [row.id, factsOf(row)]));
    },
    async ofCall(query) {
      const found = await named(query);
      if (!found) return null;
      const { job, byId } = found;
      // Asked anew for each call: a project that is no longer public is closed to others at once.
      const mayCall = !byId || job.accountId === query.accountId || (await isOfPublicProject(sql, job.model.jobId));
      return mayCall ? job.model : null;
    },
    async ofAccount(query) {
      const found = await named(query);
      return found && (!found.byId || found.job.accountId === query.accountId) ? found.job.model : null;
    },
    provideFile: files.provideFile,
    async writePeft(adapterSha256, folder) {
      const key = archives.get(adapterSha256);
      if (key === undefined) throw new Error(`No job with the adapter ${adapterSha256} was called.`);
      await unpackFiles(objects, { key, names: peftFiles, folder });
    },
  };
}

function factsOf({ id: jobId, kind, hyperparameters }: ServedJobRow): TrainedFacts {
  if (kind !== 'embedding') return { jobId, maxInputTokens: null, queryInstruction: null };
  return { jobId, ...servingOf(hyperparameters) };
}

type CacheEntry<Value> = { key: string; value: Value; most: number };

/** What was kept longest ago goes first. */
function keepLatest<Value>(map: Map<string, Value>, { key, value, most }: CacheEntry<Value>): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
