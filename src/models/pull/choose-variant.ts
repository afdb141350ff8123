import { basename } from 'node:path';
import { type ModelPlanner, usualContextTokens } from '#engine';
import { usualContextOf } from '../base-model.ts';
import { withPlanner } from '../choose-settings.ts';
import { checkServable, factsOf, kindOfFile, supportedContextOf } from '../gguf/facts.ts';
import { formatBytes } from '../list-models.ts';
import { ModelError } from '../model-error.ts';
import type { ModelKind } from '../model-kinds.ts';
import { fetchHeader } from './hub-header.ts';
import type { HubListing } from './hub-listing.ts';
import type { HubVariant } from './hub-variants.ts';
import type { TransferOptions } from './transfer-options.ts';

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
  const smallest = candidates.at(-1);
  if (!smallest) throw new Error('There is no model to choose. This is a bug.');
  const { files } = smallest;
  const { header, heads } = await fetchHeader(transfer, { repo, commit: listing.commit, files });
  const name = basename(smallest.name);
  const facts = factsOf(header, name);
  const kind = kindOfFile(facts);
  checkServable(facts, kind, name);
  const supportedTokens = usualContextOf(kind, supportedContextOf(facts) ?? usualContextTokens);
  const { contextTokens, budgetBytes, estimatedBecause, ...memory } = await withPlanner(planner, (each) =>
    each.memoryOfHead({ kind, files: heads, supportedTokens }),
  );
  if (estimatedBecause?.includes('unknown model architecture')) {
    throw new ModelError(
      `${name} has the architecture ${facts.architecture}, which this release of Fanfold does not know yet; nothing was fetched.`,
    );
  }
  const needOf = ({ sizeBytes: bytes }: HubVariant) => memory.needOf(bytes);
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
