import { Fault } from '#kernel';
import type { PlannedLoad } from './memory.ts';
import type { MemoryBytes } from './memory-protocol.ts';
import type { Session } from './session.ts';

/** The children of one model: the one that serves or is loading, and those that end, with the memory that is reserved for each. */
export class RunningSessions {
  readonly #memory = new Map<Session, MemoryBytes>();

  add(session: Session, memory: MemoryBytes): void {
    this.#memory.set(session, memory);
  }

  delete(session: Session): void {
    this.#memory.delete(session);
  }

  all(): Session[] {
    return [...this.#memory.keys()];
  }

  memoryOf(session: Session): MemoryBytes {
    return this.#memory.get(session) ?? { ram: 0, vram: 0 };
  }

  /** While callers are served with the settings of before, their child has the memory: waits until it has ended. */
  async planned(planLoad: () => Promise<PlannedLoad>, signal: AbortSignal): Promise<PlannedLoad> {
    for (;;) {
      try {
        return await planLoad();
      } catch (error) {
        const [before] = this.#memory.keys();
        if (before === undefined || !(error instanceof Fault)) throw error;
        await before.ended;
        signal.throwIfAborted();
      }
    }
  }
}
