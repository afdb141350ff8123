import type { Database, Sql } from '#db';
import { type AnswerEnd, type AnswerFollower, type CallRecord, type NamedDelta, usageToWire } from '#inference';
import { Fault, type FaultName, type Log, storable } from '#kernel';
import type { ServedModel } from '#models';
import type { MessageError, MessageRow, MessageState } from './messages.store.ts';
import { indexMessage } from './search.ts';
import { type AnswerText, endAnswer, keepAnswer, renewAnswer } from './turns.store.ts';

type LiveOptions = {
  database: Database;
  log: Pick<Log, 'warn'>;
  message: MessageRow;
  request: Record<string, unknown>;
  requestId: string;
  /** Makes what a repeated request is answered with. */
  render: (message: MessageRow, end: AnswerEnd) => object;
};

/** Well within the lease, and soon enough for whoever asks another server to stop. */
const renewEveryMs = 500;

/**
 * An answer while it is made: follows the model, writes down how far it is about twice a second, learns from the same
 * statement whether somebody wants it stopped, and keeps its end.
 */
export class LiveAnswer implements AnswerFollower {
  readonly promptBytes: number;
  readonly #options: LiveOptions;
  readonly #request: { request: string; requestId: string };
  readonly #stopping = new AbortController();
  #content = '';
  #reasoning = '';
  readonly #toolCalls: object[] = [];
  #hasBegun = false;
  #isOver = false;
  #modelRevision: number | null = null;
  #problem: Fault | null = null;
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #last: MessageRow;
  /** As the transaction of the charge stores it; null: there was none. */
  #stored: MessageRow | null = null;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#last = options.message;
    this.#request = { request: JSON.stringify(options.request), requestId: options.requestId };
    this.promptBytes = Buffer.byteLength(this.#request.request);
    this.#timer = setInterval(() => this.#renew(), renewEveryMs).unref();
  }

  get stop(): AbortSignal {
    return this.#stopping.signal;
  }

  /** As it is in the end. */
  get message(): MessageRow {
    return this.#last;
  }

  askToStop(): void {
    if (!this.#stopping.signal.aborted) this.#stopping.abort('stopped');
  }

  resolved({ revision }: ServedModel): void {
    this.#modelRevision = revision;
  }

  delta(delta: NamedDelta): void {
    if (delta.type === 'content') this.#content += delta.text;
    else if (delta.type === 'reasoning') this.#reasoning += delta.text;
    else {
      const { callId, name, arguments: args } = delta;
      this.#toolCalls.push({ id: callId, type: 'function', function: { name, arguments: args } });
    }
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#renew();
  }

  /** Called when a stream that has begun fails. */
  failed(problem: Fault): void {
    this.#problem = problem;
  }

  /** Complete, or ended by whoever asked for it: both are charged, so both are stored with the charge. */
  record(end: AnswerEnd): CallRecord {
    const { message, render } = this.#options;
    const { finished, chargedMicro } = end;
    const isComplete = finished.reason !== 'cancelled';
    const answer = {
      ...this.#text(),
      ...this.#request,
      state: isComplete ? ('complete' as const) : ('stopped' as const),
      finishReason: isComplete ? finished.reason : null,
      usage: JSON.stringify(usageToWire(finished.usage)),
      modelRevision: this.#modelRevision,
      activeMs: finished.activeMs,
      creditsMicro: chargedMicro,
    };
    // The lease lasts longer than a charge is tried.
    this.#stopRenewing();
    const insert = async (tx: Sql) => {
      // The chat may be gone, or somebody has tried again meanwhile; who got the answer pays for it all the same.
      const stored = await keepAnswer(tx, message, answer);
      if (stored) await indexMessage(tx, stored);
      this.#stored = stored ?? this.#last;
    };
    return { attachment: { insert, row: null }, body: () => render(this.#stored ?? message, end) };
  }

  /** The call is over, by an error if there was one; what was not stored gets its end now. */
  async end(error: unknown, isCallerGone: boolean): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopRenewing();
    // A renewal in flight would touch what comes after this answer.
    await this.#writing;
    const problem = error ?? this.#problem;
    if (problem === null && this.#stored) {
      this.#last = this.#stored;
      return;
    }
    const isStopped = this.stop.aborted || (isCallerGone && (problem === null || isTimeout(problem)));
    const cause = isStopped ? null : errorOf(problem);
    const state: MessageState = isStopped ? 'stopped' : waits(problem) && !this.#hasBegun ? 'queued' : 'failed';
    const text = this.#hasBegun ? this.#text() : null;
    try {
      const ended = await endAnswer(this.#options.database, this.#last, { state, error: cause, text });
      if (ended && text) await indexMessage(this.#options.database, ended);
      this.#last = ended ?? this.#last;
    } catch (err) {
      // Its lease runs out, and then it counts as lost.
      this.#options.log.warn({ err }, 'chat answer end not stored');
    }
  }

  #stopRenewing(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #text(): AnswerText {
    return {
      content: storable(this.#content),
      reasoning: this.#reasoning === '' ? null : storable(this.#reasoning),
      toolCalls: this.#toolCalls.length === 0 ? null : JSON.stringify(this.#toolCalls),
    };
  }

  #renew(): void {
    if (this.#writing || this.#isOver) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async #write(): Promise<void> {
    const { database, message, log } = this.#options;
    const begun = this.#hasBegun ? { ...this.#text(), ...this.#request, modelRevision: this.#modelRevision } : null;
    try {
      const row = await renewAnswer(database, message, begun);
      // No longer there: its chat was deleted, or others took this process for dead.
      if (!this.#isOver && (row === null || row.stopRequested)) this.askToStop();
    } catch (error) {
      log.warn({ err: error }, 'chat answer progress not stored');
    }
  }
}

function isTimeout(problem: unknown): boolean {
  return problem instanceof Fault && problem.fault === 'request_timeout';
}

/** Whether the answer failed only because its model is starting, so that the caller is told to ask again. */
function waits(problem: unknown): boolean {
  return problem instanceof Fault && problem.fault === 'model_warming';
}

/** After these the same request may well succeed. Not `ambiguous_transport`: it may have been served and paid. */
const passing: ReadonlySet<FaultName> = new Set([
  'model_warming',
  'capacity_unavailable',
  'service_unavailable',
  'generation_failed',
  'rate_limited',
]);

export function errorOf(problem: unknown): MessageError {
  if (!(problem instanceof Fault))
    return { code: 'internal_error', message: 'Something went wrong here.', retryable: false, retry_after_s: null };
  return {
    code: problem.row.code,
    message: problem.message,
    retryable: passing.has(problem.fault),
    retry_after_s: problem.options.retryAfterSeconds ?? null,
  };
}

/** The error of an answer whose process ended before the answer was complete. */
export const lost: MessageError = {
  code: 'generation_failed',
  message: 'The server stopped while it answered. What had arrived by then is kept; nothing was charged.',
  retryable: true,
  retry_after_s: null,
};
