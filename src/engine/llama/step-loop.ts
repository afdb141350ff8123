/**
 * The child's side of the thread lease (`protocol.ts` has its rules): steps run only between `grant` and the one
 * `lease_back` that ends it, which is sent when no work is left, or after `yield` at the end of the step that runs.
 */
export type StepLoopOptions = {
  leaseBack: () => void;
  hasWork: () => boolean;
  run: (mayGoOn: () => boolean) => Promise<void>;
  /** The engine cannot go on after an error in `run`. */
  failed: (error: unknown) => void;
};

export class StepLoop {
  readonly #options: StepLoopOptions;
  #state: 'away' | 'holding' | 'yielding' | 'ended' = 'away';
  #over: () => void = () => {};

  constructor(options: StepLoopOptions) {
    this.#options = options;
  }

  grant(): void {
    if (this.#state !== 'away') return;
    this.#state = 'holding';
    // The request that the grant was sent ahead of is the next message of the channel.
    setImmediate(() => void this.#hold().catch(this.#options.failed));
  }

  yield(): void {
    if (this.#state === 'holding') this.#state = 'yielding';
  }

  async end(): Promise<void> {
    const wasAway = this.#state === 'away';
    this.#state = 'ended';
    if (!wasAway) await new Promise<void>((resolve) => (this.#over = resolve));
  }

  async #hold(): Promise<void> {
    const mayGoOn = () => this.#state === 'holding';
    while (mayGoOn() && this.#options.hasWork()) await this.#options.run(mayGoOn);
    if (this.#state === 'ended') {
      this.#over();
      return;
    }
    this.#state = 'away';
    this.#options.leaseBack();
  }
}
