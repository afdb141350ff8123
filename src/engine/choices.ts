import type { Delta, Finished, GenerationRequest, Sampling } from './port.ts';

/** One of several answers. `isLast`: none follows. */
export type ChoiceRun = { sampling: Sampling; isLast: boolean; onDelta: (delta: Delta) => void };

/**
 * Generates several answers to a prompt, one behind the other: a call never takes more places than one, and the prompt that the first has read
 * is cached for the others.
 */
export async function generateChoices(
  { choices = 1, sampling }: Pick<GenerationRequest, 'choices' | 'sampling'>,
  onDelta: (delta: Delta) => void,
  run: (choice: ChoiceRun) => Promise<Finished>,
): Promise<Finished> {
  const ends: Finished[] = [];
  for (let choice = 0; choice < choices; choice += 1) {
    const end = await run({
      sampling: sampling.seed === null || choice === 0 ? sampling : { ...sampling, seed: sampling.seed + choice },
      isLast: choice === choices - 1,
      onDelta: choice === 0 ? onDelta : (delta) => onDelta({ ...delta, choice }),
    });
    ends.push(end);
    if (end.reason === 'cancelled') break;
  }
  return joined(ends);
}

function joined(ends: readonly Finished[]): Finished {
  const [first, ...others] = ends;
  if (first === undefined) throw new Error('A generation without an answer. This is a bug.');
  if (others.length === 0) return first;
  const sum = (of: (end: Finished) => number) => ends.reduce((all, end) => all + of(end), 0);
  return {
    ...first,
    reason: ends.some(({ reason }) => reason === 'cancelled') ? 'cancelled' : first.reason,
    usage: {
      ...first.usage,
      completionTokens: sum(({ usage }) => usage.completionTokens),
      reasoningTokens: sum(({ usage }) => usage.reasoningTokens),
    },
    activeMs: sum(({ activeMs }) => activeMs),
    choices: ends.map(({ reason, stopText = null }) => ({ reason, stopText })),
  };
}
