/** Time as a parameter: `nowMs` is wall time for stamps, `monotonicMs` measures durations and never jumps. */
export type Clock = { nowMs: () => number; monotonicMs: () => number };

export const systemClock: Clock = { nowMs: Date.now, monotonicMs: performance.now.bind(performance) };
