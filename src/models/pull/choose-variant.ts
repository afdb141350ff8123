import { basename } from 'node:path';
import type { ModelPlanner } from '#engine';
import { formatBytes } from '../list-models.ts';
import { ModelError } from '../model-error.ts';
import type { ModelKind } from '../model-kinds.ts';
import type { HubListing } from './hub-listing.ts';
import type { HubVariant } from './hub-variants.ts';
import type { TransferOptions } from './transfer-options.ts';
import { weighVariants } from './weigh-variants.ts';

export type ChosenVariant = {
  variant: HubVariant;
  kind: ModelKind;
  /** One line: what was chosen, what it needs, and why not a larger one. */
  reason: string;
};

/**
 * Takes the first variant that fits into the memory; a single one is taken in any case. `candidates` are the same model,
 * largest first. Throws `ModelError` where none fits, and for files that cannot be served.
 */
export async function chooseVariant(
  transfer: TransferOptions,
  { repo, listing }: { repo: string; listing: HubListing },
  { candidates, planner }: { candidates: readonly HubVariant[]; planner: ModelPlanner | undefined },
): Promise<ChosenVariant> {
  const { smallest, kind, contextTokens, budgetBytes, needOf } = await weighVariants(
    transfer,
    { repo, listing },
    { candidates, planner },
  );
  const needs = (variant: HubVariant) =>
    `${formatBytes(needOf(variant))} of memory with ${contextTokens} tokens of context`;
  const fits = (variant: HubVariant) => needOf(variant) <= budgetBytes;
  const free = `models may take ${formatBytes(budgetBytes)}`;

  const chosen = candidates.length === 1 ? smallest : candidates.find(fits);
  if (!chosen) {
    throw new ModelError(
      `No quantisation of ${repo} fits: the smallest, ${nameOf(smallest)}, needs ${needs(smallest)}, and ${free}. ` +
        `To pull it all the same, name it: ${repo}:${nameOf(smallest)}`,
    );
  }
  const described = `${nameOf(chosen)} of ${repo}, ${sizeOf(chosen)}: needs ${needs(chosen)}, and ${free}`;
  if (!fits(chosen))
    return { variant: chosen, kind, reason: `${described}. It does not fit and cannot be loaded here.` };
  const larger = candidates
    .slice(0, candidates.indexOf(chosen))
    .map((variant) => `${nameOf(variant)} (${formatBytes(needOf(variant))})`);
  const why = larger.length > 0 ? ` It is the largest that fits; these do not: ${larger.join(', ')}.` : '';
  return { variant: chosen, kind, reason: `${described}.${why}` };
}

function nameOf({ quantisation, name }: HubVariant): string {
  return quantisation ?? basename(name);
}

function sizeOf({ files, sizeBytes }: HubVariant): string {
  return files.length === 1 ? formatBytes(sizeBytes) : `${formatBytes(sizeBytes)} in ${files.length} files`;
}
