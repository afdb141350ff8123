import type { Clock } from '#kernel';
import type { AdmissionQuestion } from './admission.store.ts';
import type { Admitted } from './admitted.ts';

/**
 * What the last admissions said, by the questions. Nobody is let in with it: a call only begins with it while the database
 * is asked anew, and nothing of the call is seen, kept or charged before that has said the same (ADR 0040).
 */
export type RecentAdmissions = {
  find: (name: string) => Admitted | null;
  note: (name: string, admitted: Admitted) => void;
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
  const recent = new Map<string, { admitted: Admitted; untilMs: number }>();

  return {
    find(name) {
      const known = recent.get(name);
      return known !== undefined && known.untilMs > clock.monotonicMs() ? known.admitted : null;
    },
    note(name, admitted) {
      const untilMs = clock.monotonicMs() + keptMs;
      const known = recent.get(name);
      if (known !== undefined) {
        known.admitted = admitted;
        known.untilMs = untilMs;
        return;
      }
      if (name.length > longestName) return;
      if (recent.size >= mostKept) for (const [first] of recent.entries().take(1)) recent.delete(first);
      recent.set(name, { admitted, untilMs });
    },
    forget: (name) => void recent.delete(name),
    forgetAll: () => recent.clear(),
  };
}

/**
 * Whether two admissions agree in every field. (`isDeepStrictEqual` takes seven times as long, and every call would pay it.)
 */
export function isSame(one: Admitted, other: Admitted): boolean {
  return agree(one, other);
}

function agree(one: object, other: object): boolean {
  // as: what is read under the names of fields is only compared.
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  let fields = 0;
  for (const name in left) {
    if (left[name] !== right[name] && !areAlike(left[name], right[name])) return false;
    fields += 1;
  }
  for (const _ in right) fields -= 1;
  return fields === 0;
}

const areAlike = (one: unknown, other: unknown): boolean => isObject(one) && isObject(other) && agree(one, other);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
