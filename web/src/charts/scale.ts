/** Round numbers from 0 to at least `max`, about `count` of them: 0, 50, 100 rather than 0, 37, 74. */
export function ticksUpTo(max: number, { count = 4, isWhole = false } = {}): number[] {
  if (!(max > 0)) return [0, 1];
  const step = roundStep(isWhole ? Math.max(1, max / count) : max / count);
  const steps = Math.ceil(max / step - 1e-9);
  // Multiplied, not added up: sums of decimals drift.
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The least of 1, 2, 5, 10, 20, ... that is at least the value. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
}

/** How many labels to skip, so that they do not overlap. */
export function labelStride(count: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil((count * labelWidth) / Math.max(1, width)));
}

/** Round numbers that enclose a range, about `count` of them. */
export function ticksBetween(min: number, max: number, count = 4): number[] {
  if (!(max > min)) return min === 0 ? [0, 1] : [Math.min(0, min), Math.max(0, min)];
  const step = roundStep((max - min) / Math.max(1, count));
  const first = Math.floor(min / step + 1e-9);
  const last = Math.ceil(max / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Marks of a decade: as few as a wide range needs, as many as a narrow one has space for. */
const marksOfDecade = [[1], [1, 3], [1, 2, 5]] as const;

/** The same for logarithms to base 10: those of 0.1, 0.2, 0.5, 1, 2, 5 rather than of 0.1, 0.32, 1, 3.2. */
export function logTicksBetween(min: number, max: number, count = 4): number[] {
  const [lowest, highest] = [Math.floor(min + 1e-9), Math.ceil(max - 1e-9)];
  const choices = marksOfDecade.map((marks) => {
    const all = Array.from({ length: Math.max(1, highest - lowest) + 1 }, (_, decade) =>
      marks.map((mark) => lowest + decade + Math.log10(mark)),
    ).flat();
    const first = all.findLastIndex((tick) => tick <= min + 1e-9);
    const last = all.findIndex((tick) => tick >= max - 1e-9);
    return all.slice(first, Math.max(last, first + 1) + 1);
  });
  return choices.findLast((ticks) => ticks.length <= count + 2) ?? choices[0] ?? [];
}
