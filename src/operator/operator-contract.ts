import type { Contract } from '#http';

export const operatorPath = '/api/v1/operator';

/** What all routes for operators have in common: a signed-in session of an account with the role `admin`. */
export function operatorContract(contract: Omit<Contract, 'tag' | 'credential' | 'operator'>): Contract {
  return { ...contract, tag: 'operator', credential: 'session', operator: true };
}

/** How the feeds of accounts name who did it: which operator it was is no matter of theirs. */
export const operatorActor = { kind: 'system', id: null, label: 'Operator' } as const;
