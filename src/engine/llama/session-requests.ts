import { type Clock, type Fault, fault } from '#kernel';
import type { ProcessEnvironment, ProcessExit } from '#processes';
import type { Delta, Embedded, Finished, Sampling, Throughput } from '../port.ts';
import type { EngineLog } from './engine-process.ts';
import type { ChildConfig, FromChild, ToChild } from './protocol.ts';

/** What a session is to do, what it reports, and how a request of it ends. */

/**
 * The child died before it answered a request that has no effect and may be sent again, unless it is to blame: the child
 * crashed at it, `certain` where it did nothing else.
 */
export class ChildGone extends Error {
  override readonly name = 'ChildGone';
  readonly blame: 'none' | 'possible' | 'certain';

  constructor(reason: string, blame: ChildGone['blame'] = 'none') {
    super(reason);
    this.blame = blame;
  }
}

/** Of a prompt that ends every process that reads it. */
export function unreadable(param: string | null): Fault {
  return fault('invalid_request', {
    ...(param === null ? {} : { param }),
    message:
      'The tokenizer of this model cannot read this text. Very long words are the usual reason: send less text, or put spaces into it.',
  });
}

type WithoutId<Each> = Each extends { id: number } ? Omit<Each, 'id'> : never;
export type PrepareRequest = WithoutId<Extract<ToChild, { type: 'prepare_chat' | 'prepare_embedding' }>>;
export type Prepared = { promptTokens: number; inputs: { tokens: number; truncated: boolean }[] };

export type GenerateRequest = {
  handle: string;
  sampling: Sampling;
  cacheScope: string;
  /** Another answer to it follows. */
  keepsPrompt: boolean;
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
};

export type EmbedRequest = { handle: string; signal: AbortSignal; limitMs: number; refusal: () => Fault };

/** The thread lease as a member sees it; grants come back through the member's `send`. */
export type LeaseManager<Member> = {
  want: (member: Member) => void;
  back: (member: Member, hasWork: boolean) => void;
  gone: (member: Member) => void;
  holder: () => Member | null;
};

export type SessionOptions<Member> = {
  config: ChildConfig;
  childScript: string;
  environment: ProcessEnvironment;
  log: EngineLog;
  clock: Clock;
  lease: LeaseManager<Member>;
  hangMs: () => number;
};

export type SessionEvents = {
  ready: () => void;
  loadFailed: (message: string) => void;
  throughput: (throughput: Throughput) => void;
  worked: () => void;
  /** The child is gone; `requests` of it are about to be rejected. */
  gone: (exit: ProcessExit & { requests: number }) => void;
};

export type Pending = {
  reject: (error: unknown) => void;
  forget: () => void;
  /** The caller has gone; the child's reply is awaited only for the accounting. */
  left: boolean;
} & (
  | { kind: 'prepare'; handle: string; resolve: (prepared: Prepared) => void }
  | { kind: 'generate'; onDelta: (delta: Delta) => void; resolve: (finished: Finished) => void }
  | { kind: 'embed'; resolve: (embedded: Embedded) => void }
);

/** The outcome is known: the child delivers nothing more, and the request is free. */
export function diedUnder(reason: string): Fault {
  return fault('generation_failed', { internal: `The engine child ended under the request: ${reason}` });
}

/** Ends what a child had to do when it was gone, in the order of its requests. */
export function rejectAll(requests: readonly Pending[], { reason, crashed }: ProcessExit): void {
  const steps = requests.some(({ kind }) => kind !== 'prepare');
  // Prompts are read in their order, and steps run beside them.
  const suspect = crashed ? requests.find(({ kind }) => kind === 'prepare') : undefined;
  for (const request of requests) {
    const blame = request !== suspect ? 'none' : steps ? 'possible' : 'certain';
    request.reject(request.kind === 'prepare' ? new ChildGone(reason, blame) : diedUnder(reason));
  }
}

export function failureOf(message: Extract<FromChild, { type: 'failed' }>): Fault {
  return fault(message.fault, {
    // A failed generation tells its caller the catalogue's text; the child's words are for the operator.
    ...(message.fault === 'generation_failed' ? { internal: message.message } : { message: message.message }),
    ...(message.param === null ? {} : { param: message.param }),
    ...(message.retryAfterSeconds === null ? {} : { retryAfterSeconds: message.retryAfterSeconds }),
  });
}
