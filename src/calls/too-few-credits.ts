import { type Fault, fault, formatCredits, type Micro } from '#kernel';

/** The refusal of work that may cost more than its account has; `what` begins the sentence: "This call". */
export function tooFewCredits(what: string, micro: { required: Micro; available: Micro }): Fault {
  const [required, available] = [formatCredits(micro.required), formatCredits(micro.available)];
  return fault('insufficient_credits', {
    message: `${what} may cost up to ${required} credits; ${available} are available.`,
    details: { required, available },
  });
}
