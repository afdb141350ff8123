import { fewestAdapterContexts, type MemoryNeed } from './memory.ts';
import type { Session } from './session.ts';

/** What a child takes, with every context for adapters that it may still make; `untakenBytes` are for those that it has not. */
export function memoryOf({ adapterContexts: { made, most } }: Session, { baseBytes, contextBytes }: MemoryNeed) {
  return { bytes: baseBytes + most * contextBytes, untakenBytes: (most - made) * contextBytes };
}

/** Lets a child make no more contexts than it has, or the fewest. False: there is nothing to give up. */
export function giveUpSpareContexts(session: Session): boolean {
  const { made, most } = session.adapterContexts;
  const kept = Math.max(made, fewestAdapterContexts);
  if (most <= kept) return false;
  session.limitAdapterContexts(kept);
  return true;
}
