/** As whom a part of the contract is tried. */
export type FuzzRun = {
  name: string;
  credential: 'key' | 'session' | 'none';
  /** Operations of the run; of several runs the first that names an operation has it, the last one takes the rest. */
  takes: (operationId: string) => boolean;
};

const oneOf = (...operationIds: string[]) => {
  const names = new Set(operationIds);
  return (operationId: string) => names.has(operationId);
};

/**
 * Every operation is tried, but not all by the same caller: a run in which the caller soon signs out, deletes his own
 * key or limits it to one call a minute would only test refusals from then on.
 */
const fuzzRuns: readonly FuzzRun[] = [
  {
    name: 'without a credential',
    credential: 'none',
    takes: (id) => /^(auth\.(sign_up|sign_in|options)|contract\.|operations\.|pricing\.)/.test(id) || /oidc$/.test(id),
  },
  {
    name: 'ending sessions',
    credential: 'session',
    takes: oneOf('auth.sign_out', 'auth.sign_out_everywhere', 'account.change_password'),
  },
  {
    name: 'by a session',
    credential: 'session',
    takes: oneOf(
      'keys.deactivate',
      'keys.delete',
      'key_limits.change',
      'account_limits.change',
      'account.update_profile',
      'auth.session',
      'projects.update',
      'hosted_models.deactivate',
      'hosted_models.update',
    ),
  },
  {
    name: 'inside of a project, by a key',
    credential: 'key',
    takes: (id) =>
      /^(projects|hosted_models|model_shares|saved_calls|datasets|examples|dataset_|imports|retrieval)/.test(id),
  },
  { name: 'by a key', credential: 'key', takes: () => true },
];

/** The operations of each run, out of all. */
export function operationsOfRuns(operationIds: readonly string[]): Map<FuzzRun, string[]> {
  return Map.groupBy(operationIds, (id) => {
    const run = fuzzRuns.find(({ takes }) => takes(id));
    if (!run) throw new Error(`No run takes ${id}.`);
    return run;
  });
}
