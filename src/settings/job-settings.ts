import { createAdapterProbe, createExampleEncoder } from '#engine';
import { createTraining, openRunner, type RunnerValues, type Training, type TrainingOptions } from '#training';
import { byteUnit, number, type SettingsOf } from './setting.ts';

export type JobValues = {
  /** Jobs that this server works on at a time; 0: it only takes them in. */
  trainingSlots: number;
  maxActiveTrainingJobs: number;
  trainingCheckpointSeconds: number;
  trainingCheckpointDays: number;
  /** Adapters that are kept as files on this machine, together. */
  adapterFileBytes: number;
  /** Without a heartbeat for so long, another server takes a job. */
  trainingLeaseSeconds: number;
};

export const jobSettings: SettingsOf<JobValues> = {
  trainingSlots: {
    env: 'FANFOLD_TRAINING_SLOTS',
    fallback: 1,
    expected: 'a number of jobs at a time, 0 to 256',
    read: number(0, 256),
  },
  maxActiveTrainingJobs: {
    env: 'FANFOLD_MAX_ACTIVE_TRAINING_JOBS',
    fallback: 20,
    expected: 'a number of jobs, 1 to 10000',
    read: number(1, 10_000),
  },
  trainingCheckpointSeconds: {
    env: 'FANFOLD_TRAINING_CHECKPOINT_SECONDS',
    fallback: 60,
    expected: 'seconds, 1 to 86400',
    read: number(1, 86_400),
  },
  trainingCheckpointDays: {
    env: 'FANFOLD_TRAINING_CHECKPOINT_DAYS',
    fallback: 30,
    expected: 'days, 1 to 3650',
    read: number(1, 3650),
  },
  adapterFileBytes: {
    env: 'FANFOLD_ADAPTER_FILES_MIB',
    fallback: 8_192 * byteUnit,
    expected: 'MiB, 1 to 10000000',
    read: number(1, 10_000_000, byteUnit),
  },
  trainingLeaseSeconds: {
    env: 'FANFOLD_TRAINING_LEASE_SECONDS',
    fallback: 30,
    expected: 'seconds, 3 to 3600',
    read: number(3, 3_600),
  },
};

type Wiring = Omit<
  TrainingOptions,
  | 'encoder'
  | 'probe'
  | 'runner'
  | 'dataDir'
  | 'adapterFileBytes'
  | 'slots'
  | 'maxActiveJobs'
  | 'checkpointDays'
  | 'leaseSeconds'
  | 'checkpointSeconds'
> & {
  /** False: this process takes jobs in, and others work on them. */
  works: boolean;
};

type Children = Parameters<typeof createExampleEncoder>[0] & Parameters<typeof createAdapterProbe>[0];
type Settings = JobValues & RunnerValues & { dataDir: string; environment: Record<string, string | undefined> };

/** Training as the operator wants it, with the processes that it needs. */
export function openTraining(
  config: Settings,
  { works, ...wiring }: Wiring,
  children: Children,
): { training: Training; close: () => Promise<void> } {
  const { dataDir } = config;
  const encoder = createExampleEncoder(children);
  const training = createTraining({
    ...wiring,
    encoder,
    probe: createAdapterProbe(children),
    dataDir,
    slots: works ? config.trainingSlots : 0,
    runner: openRunner(config, works && config.trainingSlots > 0),
    adapterFileBytes: config.adapterFileBytes,
    maxActiveJobs: config.maxActiveTrainingJobs,
    checkpointDays: config.trainingCheckpointDays,
    checkpointSeconds: config.trainingCheckpointSeconds,
    leaseSeconds: config.trainingLeaseSeconds,
  });
  return { training, close: encoder.close };
}
