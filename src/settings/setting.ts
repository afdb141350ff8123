/** One setting: where it is read, what it may be, what it is when nobody says. */
export type Setting<T> = {
  env: string;
  fallback: T;
  /** Completes "... must be". */
  expected: string;
  /** undefined: the text is no value of this setting. */
  read: (text: string) => T | undefined;
};

/** The settings of a group of values. */
export type SettingsOf<Values> = { [Name in keyof Values]: Setting<Values[Name]> };

export const byteUnit = 1024 * 1024;

export function number(least: number, most: number, unit = 1) {
  return (text: string): number | undefined => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value * unit : undefined;
  };
}

/** Whole address of a server. */
export const httpAddress = (text: string): string | undefined =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? text : undefined;

/** What is there besides blanks: a line break at its end came with the file or secret that the value was taken from. */
export const words = (text: string): string | undefined => text.trim() || undefined;
