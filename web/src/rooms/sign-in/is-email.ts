/** Finds typing errors only; the server decides. */
export const isEmail = (text: string): boolean => /^\s*\S+@\S+\s*$/.test(text);
