/** Work that is repeated while a process runs. */
export type IntervalTask = {
  /** A second start changes nothing. */
  start: () => void;
  /** No run begins any more; resolves when the current one has ended. Never rejects. */
  stop: () => Promise<void>;
};

export type IntervalTaskOptions = {
  /** From the end of one run to the start of the next, so there are never two at once. */
  pauseMs: number;
  /** Whether the first run waits for a pause, too. */
  first: 'at once' | 'after a pause';
  work: () => Promise<unknown>;
  /** Called with the error of a failed run; the next one comes nevertheless. */
  onError: (error: unknown) => void;
};

/** The timers do not keep the process alive. */
export function createIntervalTask({ pauseMs, first, work, onError }: IntervalTaskOptions): IntervalTask {
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();

  function schedule(): void {
    timer = setTimeout(run, pauseMs).unref();
  }

  function run(): void {
    current = work()
      .catch(onError)
      .then(() => {
        if (isStarted) schedule();
      });
  }

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      if (first === 'at once') run();
      else schedule();
    },
    async stop() {
      isStarted = false;
      clearTimeout(timer);
      await current;
    },
  };
}

/** Several tasks as one. Each keeps its own interval, so a slow one delays no other. */
export function joinIntervalTasks(tasks: readonly IntervalTask[]): IntervalTask {
  return {
    start() {
      for (const { start } of tasks) start();
    },
    async stop() {
      await Promise.all(tasks.map(({ stop }) => stop()));
    },
  };
}

/** Named tasks with one interval; each runs on its own. */
export type IntervalTasks = IntervalTask & {
  /** Runs each of them now; rejects with the first error when all have ended. */
  runAll: () => Promise<void>;
};

export type IntervalTasksOptions = {
  /** A task leaves the rest to a later run when it sees that the process stops. */
  tasks: Record<string, (isStopped: () => boolean) => Promise<unknown>>;
  pauseMs: number;
  onError: (error: unknown, task: string) => void;
};

export function createIntervalTasks({ tasks, pauseMs, onError }: IntervalTasksOptions): IntervalTasks {
  let isStopped = false;
  const works = Object.entries(tasks).map(([name, task]) => ({ name, work: () => task(() => isStopped) }));
  const joined = joinIntervalTasks(
    works.map(({ name, work }) =>
      createIntervalTask({ pauseMs, first: 'after a pause', work, onError: (error) => onError(error, name) }),
    ),
  );
  return {
    start: joined.start,
    async runAll() {
      const outcomes = await Promise.allSettled(works.map(({ work }) => work()));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
    async stop() {
      isStopped = true;
      await joined.stop();
    },
  };
}
