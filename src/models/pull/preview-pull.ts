import type { ModelPlanner } from '#engine';
import { inOneLine } from '../model-error.ts';
import type { ModelKind } from '../model-kinds.ts';
import type { ModelsService } from '../models-service.ts';
import { listFiles } from './hub-listing.ts';
import { findVariants, variantsOf } from './hub-variants.ts';
import { findTarget } from './pull-target.ts';
import { type HubAccess, stoppedOr, transferOptions } from './transfer-options.ts';
import { weighVariants } from './weigh-variants.ts';

/** What a pull would fetch, and in which other forms the repository has the model. */
export type PullPreview = {
  repo: string;
  kind: ModelKind;
  license: string | null;
  /** What is compared with the memory: calls with this context, one at a time. */
  contextTokens: number;
  budgetBytes: number;
  /** Largest first. */
  variants: {
    /** What to pull: `org/repo:Q4_K_M`, or `org/repo/file.gguf` where the name says no quantisation. */
    model: string;
    quantisation: string | null;
    sizeBytes: number;
    neededBytes: number;
    fits: boolean;
    /** The largest that fits; a pull of the repository takes it. */
    isChosen: boolean;
  }[];
};

/** Throws `ModelError` with one line, as a pull would. */
export function previewPull(
  models: ModelsService,
  access: HubAccess,
  { model, planner }: { model: string; planner: ModelPlanner },
): Promise<PullPreview> {
  return inOneLine(async () => {
    const transfer = transferOptions(access);
    try {
      const target = findTarget(models, { model }, transfer.hub.endpoint);
      const { repo, revision } = target;
      const listing = await listFiles(transfer.hub, { repo, revision }, transfer);
      const candidates = findVariants(variantsOf(listing.files), target);
      const weighed = await weighVariants(transfer, { repo, listing }, { candidates, planner });
      const { kind, contextTokens, budgetBytes, needOf } = weighed;
      const chosen = candidates.find((variant) => needOf(variant) <= budgetBytes);
      const variants = candidates.map((variant) => {
        const { quantisation, name, sizeBytes } = variant;
        const neededBytes = needOf(variant);
        const fits = neededBytes <= budgetBytes;
        const named = quantisation === null ? `${repo}/${name}` : `${repo}:${quantisation}`;
        return { model: named, quantisation, sizeBytes, neededBytes, fits, isChosen: variant === chosen };
      });
      return { repo, kind, license: listing.license, contextTokens, budgetBytes, variants };
    } catch (error) {
      throw stoppedOr(error, access.signal);
    }
  });
}
