import type { FastifyRequest } from 'fastify';

/**
 * Whether the caller wants an answer of this type, which is not the one that it gets without a word: it names the type, and
 * likes it no less than JSON (RFC 9110 12.5.1).
 */
export function prefersType({ headers: { accept = '' } }: Pick<FastifyRequest, 'headers'>, type: string): boolean {
  const weights = readWeights(accept);
  const weight = weights.get(type) ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return weight > 0 && weight >= json;
}

/** From 0 to 1, by type; parameters of a type do not matter here. */
function readWeights(accept: string): ReadonlyMap<string, number> {
  const ranges = accept.toLowerCase().split(',');
  return new Map(
    ranges.map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return [type, weightIn(parameters)];
    }),
  );
}

function weightIn(parameters: readonly string[]): number {
  const [, weight] = parameters.flatMap((each) => /^q=([01](?:\.\d{0,3})?)$/.exec(each) ?? []);
  return weight === undefined ? 1 : Number(weight);
}
