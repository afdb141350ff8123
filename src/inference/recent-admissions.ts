import type { Clock } from '#kernel';
import type { AdmissionQuestion, Fingerprint } from './admission.store.ts';
import type { Admitted } from './admitted.ts';

/** An admission, and the fingerprint of the answer that it was made of. */
export type KnownAdmission = { admitted: Admitted; fingerprint: Fingerprint };

/**
 * What the last admissions said, by the questions. Nobody is let in with it: a call only begins with it while the database
 * is asked anew, and nothing of the call is seen, kept or charged before that has said the same (ADR 0040).
 */
export type RecentAdmissions = {
  find: (name: string) => KnownAdmission | null;
  note: (name: string, known: KnownAdmission) => void;
  forget: (name: string) => void;
  forgetAll: () => void;
};

const keptMs = 60_000;
const mostKept = 4_096;
/** Longer names are not remembered: such calls wait for the database. */
const longestName = 512;

/** What two calls of one name ask is the same. The key is in it as its digest only. */
export function nameOf({ digest, ownerSlug, projectSlug, model }: AdmissionQuestion): string {
  return `${digest} ${ownerSlug}/${projectSlug} ${model === null ? '' : `=${model}`}`;
}

export function createRecentAdmissions(clock: Clock): RecentAdmissions {
  // The one that was made first goes first when there are too many.
  const recent = new Map<string, { known: KnownAdmission; untilMs: number }>();

  return {
    find(name) {
      const one = recent.get(name);
      return one !== undefined && one.untilMs > clock.monotonicMs() ? one.known : null;
    },
    note(name, known) {
      const untilMs = clock.monotonicMs() + keptMs;
      const one = recent.get(name);
      if (one !== undefined) {
        one.known = known;
        one.untilMs = untilMs;
        return;
      }
      if (name.length > longestName) return;
      if (recent.size >= mostKept) for (const [first] of recent.entries().take(1)) recent.delete(first);
      recent.set(name, { known, untilMs });
    },
    forget: (name) => void recent.delete(name),
    forgetAll: () => recent.clear(),
  };
}
