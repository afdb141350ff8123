import { basename } from 'node:path';
import { type ModelPlanner, usualContextTokens } from '#engine';
import { usualContextOf } from '../base-model.ts';
import { withPlanner } from '../choose-settings.ts';
import { checkServable, factsOf, kindOfFile, supportedContextOf } from '../gguf/facts.ts';
import { ModelError } from '../model-error.ts';
import type { ModelKind } from '../model-kinds.ts';
import { fetchHeader } from './hub-header.ts';
import type { HubListing } from './hub-listing.ts';
import type { HubVariant } from './hub-variants.ts';
import type { TransferOptions } from './transfer-options.ts';

/** What the forms of one model would take here. */
export type WeighedVariants = {
  smallest: HubVariant;
  kind: ModelKind;
  contextTokens: number;
  /** What models may take, in main memory and on the GPU. */
  budgetBytes: number;
  needOf: (variant: HubVariant) => number;
};

/**
 * Reads the header of the smallest form; the others differ in the type of their weights only. Throws `ModelError` for files that
 * cannot be served.
 */
export async function weighVariants(
  transfer: TransferOptions,
  { repo, listing }: { repo: string; listing: HubListing },
  { candidates, planner }: { candidates: readonly HubVariant[]; planner: ModelPlanner | undefined },
): Promise<WeighedVariants> {
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
  return {
    smallest,
    kind,
    contextTokens,
    budgetBytes,
    needOf: ({ sizeBytes: bytes }) => memory.needOf(bytes),
  };
}
