import { FairQueue, runningByScope } from '../fair-queue.ts';
import { checkpointOf } from './checkpoints.ts';
import { createSlots, firstHole, place, type Slot } from './slots.ts';

/**
 * Decides what the sequences of one context do in each step. Pure: no clock, no chance, no I/O.
 *
 * A request is `waiting` (no sequence yet), `running` (holds one), or gone. `end` makes it gone at once, whatever it
 * does; a sequence that is part of a step in flight stays taken until that step is over.
 *   submit → waiting → admit → running → end → gone
 * A round of the caller: `admit` and `compact` (make the cells ready as described), `plan` (the batch of the next step), then
 * `advance` or `fail` when it is done, then `push` the sampled tokens or `end` requests.
 *
 * A step holds the next tokens of every running sequence, and prompt tokens: shortest rest first; one that was passed
 * over too often goes first. While others write, prompts get `prefillChunkTokens` a step at most, so that streams keep their throughput.
 */
export type SchedulerOptions = {
  sequences: number;
  contextTokens: number;
  batchTokens: number;
  prefillChunkTokens: number;
  /** Prompts are interrupted shortly before their end, where a checkpoint is to be taken. */
  checkpoints?: boolean;
};

export type NewRequest = {
  id: number;
  /** Prefixes are shared, and turns are taken, per scope (an account). */
  scope: string;
  prompt: Uint32Array;
  maxTokens: number;
};

/** What to do with a sequence's cells before its request runs: copy, then drop all from `keep` on. */
export type SlotAdmission = { requestId: number; sequence: number; keep: number; copyFrom: number | null };

/** Copy the cells of one sequence to another, where its request goes on. */
export type SequenceMove = { from: number; to: number };

export type StepItem = {
  requestId: number;
  sequence: number;
  position: number;
  tokens: Uint32Array;
  /** The prompt is complete with these tokens: the last one's output is to be sampled. */
  sample: boolean;
  /** With these tokens the sequence is where a checkpoint is to be taken. */
  checkpoint: boolean;
};
export type BatchStep = { items: StepItem[]; tokens: number; promptTokens: number };

type Running = {
  id: number;
  scope: string;
  slot: Slot;
  maxTokens: number;
  passedOver: number;
  inStep: number;
  ended: boolean;
};

/** A hole among the busy sequences that new requests have not filled after this many steps is closed by moving one. */
const mostStepsWithHole = 4;
/** A move takes about as long as a few steps; a request with fewer tokens to come is left where it is. */
const leastTokensToMove = 32;
/** Steps with prompt tokens that may leave a prompt out, because others are shorter. */
const mostStepsPassedOver = 8;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #slots: Slot[];
  readonly #waiting = new FairQueue<NewRequest>();
  readonly #running = new Map<number, Running>();
  #inStep: Running[] = [];
  #uses = 0;
  #stepsWithHole = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#slots = createSlots(options.sequences, options.contextTokens);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running.size;
  }

  get free(): number {
    return this.#slots.reduce((count, slot) => count + Number(!slot.busy), 0);
  }

  /** There is something to admit or to feed. A sequence whose sampled token was not pushed yet has nothing to feed. */
  get hasWork(): boolean {
    if (this.#waiting.size > 0) return true;
    for (const { slot } of this.#running.values()) if (slot.length > slot.fed) return true;
    return false;
  }

  submit(request: NewRequest): void {
    const most = this.#options.contextTokens;
    if (request.prompt.length === 0 || request.prompt.length >= most) throw new RangeError('The prompt does not fit.');
    this.#waiting.push(request);
  }

  admit(): SlotAdmission[] {
    const admissions: SlotAdmission[] = [];
    while (this.free > 0) {
      const request = this.#waiting.shift(runningByScope(this.#running.values()));
      if (request === null) break;
      const { slot, keep, copyFrom } = place(this.#slots, request.scope, request.prompt);
      this.#hold(slot, request, keep);
      admissions.push({ requestId: request.id, sequence: slot.id, keep, copyFrom });
    }
    return admissions;
  }

  /** So many of the tokens that were to stay in a sequence are there. Its request goes on behind them, if it is not over by now. */
  prefixLost(sequence: number, left: number): void {
    const slot = this.#slots[sequence];
    if (slot === undefined) return;
    slot.fed = left;
    if (!slot.busy) this.#release(slot);
  }

  forget(): void {
    for (const slot of this.#slots) slot.fed = 0;
  }

  /** Closes a lasting hole among the busy sequences, because llama.cpp splits batches there. */
  compact(): SequenceMove | null {
    const hole = firstHole(this.#slots);
    this.#stepsWithHole = hole === null ? 0 : this.#stepsWithHole + 1;
    if (hole === null || this.#stepsWithHole <= mostStepsWithHole) return null;
    let last: Running | null = null;
    for (const request of this.#running.values()) if (request.slot.id > (last?.slot.id ?? hole.id)) last = request;
    if (last === null) return null;
    const left = last.maxTokens - Math.max(0, last.slot.length - last.slot.promptTokens);
    if (left < leastTokensToMove) return null;
    const { slot } = last;
    const { length, promptTokens, fed, scope } = slot;
    hole.tokens.set(slot.tokens.subarray(0, length));
    Object.assign(hole, { length, promptTokens, fed, scope, busy: true });
    last.slot = hole;
    // All that was in it is in the hole now: a second copy is worth nothing.
    slot.fed = 0;
    this.#release(slot);
    return { from: slot.id, to: hole.id };
  }

  /** `chunk`: so many tokens of prompts at most while others write. */
  plan(chunk = Number.POSITIVE_INFINITY): BatchStep | null {
    if (this.#inStep.length > 0) throw new Error('A step is in flight. This is a bug.');
    const prompts: Running[] = [];
    let tokens = 0;
    for (const request of this.#running.values()) {
      const rest = request.slot.length - request.slot.fed;
      if (request.slot.fed < request.slot.promptTokens) prompts.push(request);
      else if (rest > 0) {
        request.inStep = Math.min(rest, this.#options.batchTokens - tokens);
        tokens += request.inStep;
      }
    }
    const promptTokens = prompts.length === 0 ? 0 : this.#planPrompts(prompts, { taken: tokens, chunk });
    if (tokens + promptTokens === 0) return null;
    return { items: this.#items(), tokens: tokens + promptTokens, promptTokens };
  }

  advance(): void {
    for (const request of this.#inStep) {
      request.slot.fed += request.inStep;
      request.inStep = 0;
      if (request.ended) this.#release(request.slot);
    }
    this.#inStep = [];
  }

  /** The step failed: its requests are over and their cells count for nothing. Returns those that were not over before. */
  fail(): { requestIds: number[]; sequences: number[] } {
    const failed = this.#inStep;
    this.#inStep = [];
    for (const request of failed) {
      request.inStep = 0;
      request.slot.fed = 0;
      this.#running.delete(request.id);
      this.#release(request.slot);
    }
    return {
      requestIds: failed.filter((request) => !request.ended).map((request) => request.id),
      sequences: failed.map((request) => request.slot.id),
    };
  }

  push(requestId: number, token: number): void {
    const request = this.#running.get(requestId);
    if (request === undefined) return;
    const { slot } = request;
    if (slot.length === slot.tokens.length) throw new RangeError('The sequence is full. This is a bug.');
    slot.tokens[slot.length] = token;
    slot.length += 1;
  }

  /** The request is over. false: it was not there. */
  end(requestId: number): boolean {
    const request = this.#running.get(requestId);
    if (request === undefined) return this.#waiting.remove(requestId);
    this.#running.delete(requestId);
    request.ended = true;
    if (request.inStep === 0) this.#release(request.slot);
    return true;
  }

  #hold(slot: Slot, request: NewRequest, keep: number): void {
    slot.busy = true;
    slot.scope = request.scope;
    slot.tokens.set(request.prompt);
    slot.length = request.prompt.length;
    slot.promptTokens = request.prompt.length;
    slot.fed = keep;
    this.#uses += 1;
    slot.usedAt = this.#uses;
    this.#running.set(request.id, {
      id: request.id,
      scope: request.scope,
      slot,
      maxTokens: request.maxTokens,
      passedOver: 0,
      inStep: 0,
      ended: false,
    });
  }

  #release(slot: Slot): void {
    slot.busy = false;
    slot.length = slot.fed;
    if (slot.fed === 0) slot.scope = null;
    this.#uses += 1;
    slot.usedAt = this.#uses;
  }

  #planPrompts(prompts: Running[], { taken, chunk }: { taken: number; chunk: number }): number {
    const { batchTokens, prefillChunkTokens } = this.#options;
    const rest = (request: Running) => request.slot.promptTokens - request.slot.fed;
    const late = (request: Running) => request.passedOver >= mostStepsPassedOver;
    // A stable sort: of two late ones, and of two with the same rest, the one admitted first goes first.
    prompts.sort((a, b) => Number(late(b)) - Number(late(a)) || (late(a) ? 0 : rest(a) - rest(b)));
    const budget = Math.min(batchTokens - taken, taken === 0 ? batchTokens : Math.min(prefillChunkTokens, chunk));
    let left = budget;
    for (const request of prompts) {
      request.inStep = Math.min(left, rest(request), this.#toCheckpoint(request.slot));
      left -= request.inStep;
      request.passedOver = request.inStep === 0 ? request.passedOver + 1 : 0;
    }
    return budget - left;
  }

  /** Tokens to feed up to the checkpoint; Infinity: there is none to be taken. */
  #toCheckpoint({ promptTokens, fed }: Slot): number {
    const place = this.#options.checkpoints === true ? checkpointOf(promptTokens) : 0;
    return place > fed ? place - fed : Infinity;
  }

  #items(): StepItem[] {
    const requests: Running[] = [];
    for (const request of this.#running.values()) if (request.inStep > 0) requests.push(request);
    requests.sort((a, b) => a.slot.id - b.slot.id);
    this.#inStep = requests;
    return requests.map(({ id, slot, inStep }) => ({
      requestId: id,
      sequence: slot.id,
      position: slot.fed,
      tokens: slot.tokens.subarray(slot.fed, slot.fed + inStep),
      sample: slot.fed + inStep === slot.length,
      checkpoint: inStep === this.#toCheckpoint(slot),
    }));
  }
}
