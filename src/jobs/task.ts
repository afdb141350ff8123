export type Task<Payload extends object> = {
  readonly name: string;
  /** Runs at the same time in one process. */
  readonly concurrency: number;
  /** Attempts after the first; a process that dies counts as one. */
  readonly retries: number;
  /** Longest run, s; past it the attempt is given up and counts as failed. */
  readonly longestSeconds: number;
  /** Never read: keeps the payload's type with the task. */
  readonly payload?: Payload;
};

const longestSeconds = 23 * 3_600;

export function defineTask<Payload extends object>(
  name: string,
  options: Partial<Pick<Task<Payload>, 'concurrency' | 'retries' | 'longestSeconds'>> = {},
): Task<Payload> {
  return { name, concurrency: 1, retries: 3, longestSeconds, ...options };
}

export type TaskRun = {
  /** Aborted when this process stops or the attempt ran too long: leave things so that another attempt can go on. */
  signal: AbortSignal;
  /** 1 for the first. */
  attempt: number;
  isLastAttempt: boolean;
};

/** Does the work; a rejection lets it be tried again. It may run twice: once it has begun, any process can die. */
export type TaskHandler<Payload extends object> = (payload: Payload, run: TaskRun) => Promise<void>;
