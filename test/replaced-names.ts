/** A name that standard terms replaced; `left` are the folders that still use it, a list that only gets shorter. */
export type ReplacedName = { old: string; now: string; left?: readonly string[] };

/** Regular expressions for words that are split at capitals, underscores and hyphens. */
export const replacedNames: readonly ReplacedName[] = [
  { old: 'lookouts?', now: 'poller' },
  { old: 'farewells?', now: 'graceful shutdown' },
  {
    old: 'tills?',
    now: 'removed without a successor; of time: until',
    left: ['docs/', 'test/'],
  },
  { old: 'knock(?:s|ed|ing)?', now: 'connection probe' },
  {
    old: 'attend(?:s|ed|ing)?',
    now: 'handle call',
    left: ['test/'],
  },
  { old: 'under ?way', now: 'in flight' },
  { old: 'bury|buried|buries|burying', now: 'reap', left: ['test/'] },
  { old: 'pulses?', now: 'heartbeat' },
  {
    old: 'leftovers?|strays?',
    now: 'orphans',
    left: ['docs/'],
  },
  { old: 'doubtful', now: 'low-credit', left: ['bench/'] },
  { old: 'out of reach', now: 'unavailable' },
  { old: 'early calls?', now: 'removed without a successor' },
  { old: 'brief maps?', now: 'removed without a successor' },
  { old: 'quick settlements?', now: 'removed without a successor', left: ['docs/', 'test/'] },
  { old: 'word blocks?', now: 'removed without a successor' },
  { old: 'spools?', now: 'buffer file' },
  { old: 'gists?', now: 'summary', left: ['test/'] },
  { old: 'rulers?', now: 'token counter' },
  { old: 'survey(?:s|ed|ing|or)?', now: 'profile' },
  { old: 'verdicts?', now: 'validation result', left: ['test/'] },
  {
    old: 'judges?|judged|judging',
    now: 'validate',
    left: ['docs/', 'src/feedback/', 'test/', 'web/'],
  },
  { old: 'duty|duties', now: 'interval task' },
  {
    old: 'moments?',
    now: 'timestamp',
    left: [
      'bench/',
      'docs/',
      'scripts/',

      'test/',
    ],
  },
  {
    old: 'troubles?|troubled',
    now: 'error, failure',
  },
  {
    old: '(?<!early stopping )patience',
    now: 'timeout',
    left: ['test/'],
  },
  {
    old: 'place to (?:read|write)',
    now: 'authorize...Read, authorize...Write',
  },
];

/** Folders where object literals are still spread into others. */
export const spreadsLeft: readonly string[] = [];

/** Names of types that more than one file of src exports. */
export const repeatedTypes: readonly string[] = [];
