/** One setting: where it is read, what it may be, what it is when nobody sets it. */
export type Setting<T> = {
  env: string;
  fallback: T;
  /** Completes "... must be". */
  expected: string;
  /** undefined: the text is no value of this setting. */
  read: (text: string) => T | undefined;
  /** How many of the value one of the text is: a number of seconds is stored as milliseconds. */
  unit?: number;
};

export type SettingValues<Settings> = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never;
};

/** What the fallback `null` allows beside the values that can be read. */
type OrFallback<Value, Fallback> = Fallback extends null ? Value | null : Value;

export function setting<Value, const Fallback extends Value | null>(
  env: string,
  fallback: Fallback,
  expected: string,
  read: (text: string) => Value | undefined,
): Setting<OrFallback<Value, Fallback>> {
  // as: the fallback is a value, or the null that was added to them.
  return { env, expected, fallback: fallback as OrFallback<Value, Fallback>, read } as Setting<
    OrFallback<Value, Fallback>
  >;
}

/** Text without the blanks around it: a line break at the end comes with files and secrets. */
export function text<const Fallback extends string | null>(env: string, fallback: Fallback, expected: string) {
  return setting<string, Fallback>(env, fallback, expected, (value) => value.trim() || undefined);
}

/** A whole number between two bounds, in units of `unit`. */
export function integer<const Fallback extends number | null>(
  env: string,
  fallback: Fallback,
  what: string,
  [least, most, unit = 1]: readonly [least: number, most: number, unit?: number],
) {
  const numbers = setting<number, Fallback>(env, fallback, `${what}, ${least} to ${most}`, (value) => {
    const count = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
    return count >= least && count <= most ? count * unit : undefined;
  });
  return { ...numbers, unit };
}

export function oneOf<const Choice extends string>(env: string, fallback: NoInfer<Choice>, choices: readonly Choice[]) {
  const find = (value: string) => choices.find((choice) => choice === value);
  return setting<Choice, Choice>(env, fallback, `one of ${choices.join(', ')}`, find);
}

/** The whole address of a server. */
export function httpUrl<const Fallback extends string | null>(env: string, fallback: Fallback, expected: string) {
  return setting<string, Fallback>(env, fallback, expected, (value) =>
    /^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined,
  );
}
