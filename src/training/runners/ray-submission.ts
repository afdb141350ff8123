import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { AttemptName } from '../jobs/job.ts';
import type { RayClient, RaySubmission } from './ray-client.ts';
import type { AttemptRef } from './runner.ts';
import { fixedEnvironment } from './trainer-program.ts';

/** What every attempt gets of the cluster. */
export type RayTerms = {
  cpus: number;
  gpus: number;
  python: string;
  entrypoint?: string;
  /** Time that an attempt has to write a checkpoint once it is to end, ms. */
  killAfterMs?: number;
};

type RayStartPaths = AttemptRef & { specPath: string; outputPath: string; workingDir: string };

export function submissionOf(start: RayStartPaths, terms: RayTerms): Omit<RaySubmission, 'submission_id'> {
  const { jobId, attempt, specPath, outputPath, workingDir } = start;
  const { cpus, gpus, python, killAfterMs = 30_000 } = terms;
  const { entrypoint = `${quoted(python)} -u -m fanfold_trainer.lora.train` } = terms;
  return {
    // Its exit code must be that of the trainer, not of a shell.
    entrypoint: `exec ${entrypoint} --spec ${quoted(specPath)} >${quoted(outputPath)} 2>&1`,
    entrypoint_num_cpus: cpus,
    entrypoint_num_gpus: gpus,
    metadata: { job_id: jobId, attempt: String(attempt) },
    runtime_env: {
      working_dir: workingDir,
      env_vars: {
        ...fixedEnvironment,
        OMP_NUM_THREADS: String(Math.max(1, Math.floor(cpus))),
        // Ray kills after 3 s by itself, which is less than a checkpoint takes.
        RAY_JOB_STOP_WAIT_TIME_S: String(Math.ceil(killAfterMs / 1000)),
      },
    },
  };
}

/** The name of a start; a second submission of the same name is none. */
export function submissionId({ jobId, attempt, restart = 0 }: AttemptRef): string {
  return `fanfold-${jobId}-a${attempt}${restart === 0 ? '' : `-r${restart}`}`;
}

/** The attempt whose start has this name; null: it is no name of ours. */
export function attemptOfSubmission(id: string): AttemptName | null {
  const [, jobId, attempt] = /^fanfold-(job_[0-9A-Z]{26})-a([1-9][0-9]{0,8})(?:-r[0-9]{1,9})?$/.exec(id) ?? [];
  return jobId === undefined ? null : { jobId, attempt: Number(attempt) };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const packageFiles = /\.(py|jinja)$/;
/** Nothing in the archive depends on when or where it is made. */
const untimed = { mtime: new Date(1980, 0, 1), mode: 0o100644, compress: false, forceDosTimestamp: true };

/** Makes sure that Ray has the trainer of this version, and returns its address. Equal files have one address. */
export async function uploadPackage(client: RayClient, folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => packageFiles.test(name)).sort();
  const zip = new ZipFile();
  for (const name of names) zip.addBuffer(await readFile(join(folder, name)), name, untimed);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const name = `_ray_pkg_${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}.zip`;
  if (!(await client.hasPackage(name))) await client.putPackage(name, bytes);
  return `gcs://${name}`;
}
