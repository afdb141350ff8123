/** How long it is known what became of a call. */
export const keptDays = 30;
export const keptMs = keptDays * 24 * 60 * 60_000;
