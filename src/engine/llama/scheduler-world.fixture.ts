import assert from 'node:assert/strict';
import { generator } from '#test/random-weights.ts';
import { checkpointOf } from './checkpoints.ts';
import { type BatchStep, Scheduler, type SchedulerOptions } from './scheduler.ts';

/** Tokens that follow one another. */
export const range = (count: number, from = 0) => Uint32Array.from({ length: count }, (_, i) => from + i);

/**
 * One run of the scheduler in a world of chance: bursts, cancels, failing steps, lost prefixes. `cells` holds what a
 * real context would hold, so that every kept prefix can be compared with what was really fed, and for whom.
 */
export class SchedulerWorld {
  readonly #random: () => number;
  readonly options: SchedulerOptions;
  readonly #scheduler: Scheduler;
  readonly #cells: { token: number; scope: string }[][];
  readonly #live = new Map<number, { scope: string; tokens: number[]; left: number; sequence: number | null }>();
  /** By request; kept when it has ended, because its step may still run. */
  readonly #scopes = new Map<number, string>();
  readonly #promptTokens = new Map<number, number>();
  readonly #passedOver = new Map<number, number>();
  readonly #promptWaits = new Map<number, number>();
  readonly ends = new Map<number, number>();
  submitted = 0;
  keptTokens = 0;
  copies = 0;
  moves = 0;

  constructor(seed: number) {
    this.#random = generator(seed * 2_654_435_761);
    const sequences = 1 + this.#below(8);
    this.options = {
      sequences,
      contextTokens: 165 + this.#below(200),
      batchTokens: sequences + this.#below(60),
      prefillChunkTokens: 1 + this.#below(20),
      checkpoints: sequences % 2 === 0,
    };
    this.#scheduler = new Scheduler(this.options);
    this.#cells = Array.from({ length: sequences }, () => []);
  }

  get liveRequests(): number {
    return this.#live.size;
  }

  tick(closing: boolean): void {
    if (!closing) for (let burst = this.#below(12) === 0 ? 10 : this.#below(2); burst > 0; burst -= 1) this.#submit();
    if (this.#below(15) === 0) this.#cancelOne();
    this.#admit();
    this.#compact();
    const step = this.#scheduler.plan();
    assert.equal(step === null, this.#live.size === 0, 'a step has work exactly while requests live');
    if (step === null) return;
    this.#check(step);
    if (this.#below(10) === 0) this.#cancelOne();
    if (this.#below(40) === 0) this.#failStep();
    else this.#finishStep(step);
  }

  #below(limit: number): number {
    return this.#random() % limit;
  }

  #submit(): void {
    const scope = `scope ${this.#below(3)}`;
    // Few beginnings, the same ones in every scope: prefixes meet within scopes, and would across them.
    const stem = this.#below(3);
    const prompt = [...range(10 + stem * 60, stem * 1000), ...range(1 + this.#below(30), this.#below(3) * 500)];
    const id = this.submitted;
    this.submitted += 1;
    this.#scheduler.submit({ id, scope, prompt: Uint32Array.from(prompt), maxTokens: 40 });
    this.#live.set(id, { scope, tokens: prompt, left: 1 + this.#below(40), sequence: null });
    this.#passedOver.set(id, 0);
    this.#scopes.set(id, scope);
    this.#promptTokens.set(id, prompt.length);
  }

  #cancelOne(): void {
    const ids = [...this.#live.keys()];
    const id = ids[this.#below(Math.max(1, ids.length))];
    if (id !== undefined) this.#end(id);
  }

  #end(id: number): void {
    assert.equal(this.#scheduler.end(id), true);
    assert.equal(this.#scheduler.end(id), false, 'a request ends once');
    this.#over(id);
  }

  #over(id: number): void {
    this.ends.set(id, (this.ends.get(id) ?? 0) + 1);
    this.#live.delete(id);
    this.#passedOver.delete(id);
    this.#promptWaits.delete(id);
  }

  #admit(): void {
    const busy = new Set([...this.#live.values()].map((request) => request.sequence).filter((id) => id !== null));
    for (const { requestId, sequence, keep, copyFrom } of this.#scheduler.admit()) {
      const request = this.#live.get(requestId);
      assert.ok(request !== undefined);
      assert.ok(!busy.has(sequence));
      this.#checkDense(busy, sequence);
      busy.add(sequence);
      if (copyFrom !== null) {
        this.copies += 1;
        this.#cells[sequence] = [...(this.#cells[copyFrom] ?? [])];
      }
      const cells = (this.#cells[sequence] ?? []).slice(0, keep);
      assert.deepEqual(
        cells,
        request.tokens.slice(0, keep).map((token) => ({ token, scope: request.scope })),
      );
      assert.ok(keep < request.tokens.length, 'the last prompt token is evaluated');
      this.keptTokens += keep;
      if (keep > 0 && this.#below(20) === 0) {
        cells.length = Math.floor(keep / 2);
        this.#scheduler.prefixLost(sequence, cells.length);
      }
      this.#cells[sequence] = cells;
      request.sequence = sequence;
      for (const [id, waiting] of this.#live) {
        if (waiting.sequence !== null || id > requestId) continue;
        this.#passedOver.set(id, (this.#passedOver.get(id) ?? 0) + 1);
        assert.ok((this.#passedOver.get(id) ?? 0) <= 32, 'nobody is passed over without end');
      }
    }
  }

  #compact(): void {
    const move = this.#scheduler.compact();
    if (move === null) return;
    this.moves += 1;
    const busy = [...this.#live.values()].filter((request) => request.sequence !== null);
    assert.ok(busy.every((request) => request.sequence !== move.to));
    const moved = busy.find((request) => request.sequence === move.from);
    assert.ok(moved !== undefined && move.to < move.from);
    moved.sequence = move.to;
    this.#cells[move.to] = [...(this.#cells[move.from] ?? [])];
  }

  /** A new sequence fills a hole if there is one, else continues the run of busy ones. */
  #checkDense(busy: ReadonlySet<number>, sequence: number): void {
    if (busy.size === 0) return;
    const first = Math.min(...busy);
    const last = Math.max(...busy);
    const holes = last - first + 1 - busy.size;
    if (holes > 0) assert.ok(sequence > first && sequence < last);
    else assert.ok(sequence === first - 1 || sequence === last + 1);
  }

  #check(step: BatchStep): void {
    const sequences = step.items.map((item) => item.sequence);
    assert.deepEqual(
      sequences,
      [...new Set(sequences)].sort((a, b) => a - b),
      'one item a sequence, ascending',
    );
    assert.equal(
      step.tokens,
      step.items.reduce((sum, item) => sum + item.tokens.length, 0),
    );
    assert.ok(step.tokens <= this.options.batchTokens);
    if (step.tokens > step.promptTokens) assert.ok(step.promptTokens <= this.options.prefillChunkTokens);
    for (const item of step.items) {
      const request = this.#live.get(item.requestId);
      assert.ok(request !== undefined);
      assert.equal(item.sequence, request.sequence);
      assert.equal(item.position, this.#cells[item.sequence]?.length, 'positions follow the cells');
      const from = item.position;
      assert.deepEqual([...item.tokens], request.tokens.slice(from, from + item.tokens.length));
      const to = from + item.tokens.length;
      assert.equal(item.sample, to === request.tokens.length);
      const place = this.options.checkpoints === true ? checkpointOf(this.#promptTokens.get(item.requestId) ?? 0) : 0;
      assert.ok(from >= place || to <= place, 'a step ends where the checkpoint is to be taken');
      assert.equal(item.checkpoint, to === place);
    }
    const inStep = new Set(step.items.map((item) => item.requestId));
    for (const [id, { sequence }] of this.#live) {
      const fed = sequence === null ? 0 : (this.#cells[sequence]?.length ?? 0);
      if (fed >= (this.#promptTokens.get(id) ?? 0)) assert.ok(inStep.has(id), 'every writing request is in each step');
    }
    for (const [id, { sequence }] of this.#live) {
      if (sequence === null) continue;
      const waited = inStep.has(id) ? 0 : (this.#promptWaits.get(id) ?? 0) + 1;
      this.#promptWaits.set(id, waited);
      assert.ok(waited <= 8 + this.options.sequences, 'no running request is left out without end');
    }
  }

  #failStep(): void {
    const failed = this.#scheduler.fail();
    for (const sequence of failed.sequences) this.#cells[sequence] = [];
    for (const id of failed.requestIds) {
      assert.equal(this.#scheduler.end(id), false);
      this.#over(id);
    }
  }

  #finishStep(step: BatchStep): void {
    this.#scheduler.advance();
    for (const item of step.items) {
      const scope = this.#scopes.get(item.requestId) ?? '';
      for (const token of item.tokens) this.#cells[item.sequence]?.push({ token, scope });
      const request = this.#live.get(item.requestId);
      if (request === undefined || !item.sample) continue;
      request.left -= 1;
      if (request.left === 0 || request.tokens.length === this.options.contextTokens) this.#end(item.requestId);
      else {
        const token = this.#below(4) + 7000;
        request.tokens.push(token);
        this.#scheduler.push(item.requestId, token);
      }
    }
  }
}
