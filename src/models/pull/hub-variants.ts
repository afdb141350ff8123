import { basename } from 'node:path';
import { readPartName } from '#engine';
import { formatBytes } from '../list-models.ts';
import { ModelError } from '../model-error.ts';
import type { ListedFile } from './hub-listing.ts';
import type { HubReference } from './hub-reference.ts';

/** One of the forms in which a repository has its model. */
export type HubVariant = {
  /** The file in the repository, the first part of a split one. */
  name: string;
  /** Upper case; null: the name does not say. */
  quantisation: string | null;
  /** All parts in order. */
  files: readonly [ListedFile, ...ListedFile[]];
  sizeBytes: number;
};

/** As file names write them: `Q4_K_M`, `IQ3_XXS`, `UD-Q4_K_XL`, `MXFP4_MOE`, `BF16`. */
const quantisationName =
  /(?<![a-z0-9])(?:UD-)?(?:I?Q\d+(?:_(?:K|NL|XXS|XS|S|M|L|XL|XXL|\d+))*|TQ\d_\d|BF16|FP?16|FP?32|MXFP4(?:_MOE)?|NVFP4)(?![a-z0-9])/gi;
const unquantised = /^(?:BF16|FP?16|FP?32)$/;
/** llama.cpp loads these no more: it arranges Q4_0 for the processor itself. */
const outdated = /^Q4_0_\d_\d$/;
/** GGUF files that are not models: image encoders, importance matrices, vocabularies, drafters. */
const otherFile = /mmproj|imatrix|^ggml-vocab|^mtp-/i;
const otherFolder = /^mtp\//i;

/** The models among the files of a repository, largest first. A split one counts where all parts are there. */
export function variantsOf(files: ReadonlyMap<string, ListedFile>): HubVariant[] {
  const variants: HubVariant[] = [];
  for (const [name, file] of files) {
    if (!/\.gguf$/i.test(name) || otherFile.test(basename(name)) || otherFolder.test(name)) continue;
    const part = readPartName(name);
    if (part !== null && part.number !== 1) continue;
    const folder = name.slice(0, name.length - basename(name).length);
    const others = Array.from({ length: (part?.count ?? 1) - 1 }, (_, index) =>
      files.get(folder + part?.nameOf(index + 2)),
    ).filter((other) => other !== undefined);
    if (part !== null && others.length !== part.count - 1) continue;
    const sizeBytes = others.reduce((sum, other) => sum + other.sizeBytes, file.sizeBytes);
    variants.push({ name, quantisation: quantisationOf(name), files: [file, ...others], sizeBytes });
  }
  return variants.toSorted((a, b) => b.sizeBytes - a.sizeBytes);
}

/** The last name of a quantisation in the name of a file, which may also stand in that of its folder. */
function quantisationOf(name: string): string | null {
  return name.match(quantisationName)?.at(-1)?.toUpperCase() ?? null;
}

/** Those that a reference may mean, largest first; at least one. Throws `ModelError`. */
export function findVariants(
  variants: readonly HubVariant[],
  { repo, file, quantisation }: Pick<HubReference, 'repo' | 'file' | 'quantisation'>,
): readonly HubVariant[] {
  if (variants.length === 0) {
    const what = `${repo} has no GGUF model; look for a conversion`;
    throw new ModelError(`${what} with: fanfold models search ${JSON.stringify(basename(repo))}`, {
      inRequest: `${what}: search for ${basename(repo)}.`,
    });
  }
  if (file !== null) return [variantOfFile(variants, { repo, file })];
  const main = mainModel(variants, repo);
  if (quantisation !== null) return [variantOfQuantisation(main, { repo, quantisation })];
  const quantised = main.filter(
    ({ quantisation: name }) => !unquantised.test(name ?? '') && !outdated.test(name ?? ''),
  );
  const candidates = quantised.length > 0 ? quantised : main;
  const names = candidates.map((variant) => variant.quantisation);
  if (new Set(names).size < names.length) throw severalModels(repo, candidates);
  return candidates;
}

/** Of several models in a repository the one that has its name; all of them where none has. */
function mainModel(variants: readonly HubVariant[], repo: string): readonly HubVariant[] {
  const wanted = comparable(
    basename(repo)
      .replace(/[-_.]gguf$/i, '')
      .replace(quantisationName, ''),
  );
  const named = variants.filter(({ name }) => {
    const stem = basename(name).replace(/(?:-\d{5}-of-\d{5})?\.gguf$/i, '');
    return comparable(stem.replace(quantisationName, '')) === wanted;
  });
  return named.length > 0 ? named : variants;
}

function comparable(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function variantOfFile(variants: readonly HubVariant[], { repo, file }: { repo: string; file: string }): HubVariant {
  const wanted = file.toLowerCase();
  const found = variants.find(({ files }) => files.some(({ name }) => name.toLowerCase() === wanted));
  const byBase = variants.filter(({ files }) => files.some(({ name }) => basename(name).toLowerCase() === wanted));
  const variant = found ?? byBase[0];
  if (variant) return variant;
  throw new ModelError(`${repo} has no model file ${JSON.stringify(file.slice(0, 120))}; it has ${listed(variants)}.`);
}

function variantOfQuantisation(
  variants: readonly HubVariant[],
  { repo, quantisation }: { repo: string; quantisation: string },
): HubVariant {
  const named = (name: string) => variants.filter((variant) => variant.quantisation === name);
  const exact = named(quantisation);
  const found = exact.length > 0 ? exact : named(`UD-${quantisation}`);
  const [variant, ...others] = found;
  if (!variant) {
    const text = JSON.stringify(quantisation.slice(0, 40));
    throw new ModelError(`${repo} has no quantisation ${text}; it has ${listed(variants)}.`);
  }
  if (others.length > 0) throw severalModels(repo, found);
  return variant;
}

function severalModels(repo: string, variants: readonly HubVariant[]): ModelError {
  const names = variants.slice(0, 8).map(({ name }) => `${repo}/${name}`);
  return new ModelError(`${repo} has several models; name a file: ${names.join(', ')}.`);
}

function listed(variants: readonly HubVariant[]): string {
  return variants
    .slice(0, 30)
    .map(({ quantisation, name, sizeBytes }) => `${quantisation ?? name} (${formatBytes(sizeBytes)})`)
    .join(', ');
}
