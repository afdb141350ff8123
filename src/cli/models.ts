import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '#db';
import type { ContextChoice } from '#engine';
import { OperatorError } from '#kernel';
import {
  addModel,
  createMemoryPlans,
  listModels,
  type ModelKind,
  type ModelListing,
  type ModelsService,
  modelKinds,
  openModels,
  removeModel,
  renderModelTable,
} from '#models';
import { listModelUses } from '#operator';
import type { Config } from '../config.ts';
import { changeOf, type SettingsFlags, withPlanner } from './planner.ts';
import { type ListFlags, note, print, printJson } from './terminal.ts';
import { useDatabase } from './use-database.ts';

export async function listModelsCommand(config: Config, { json = false }: ListFlags): Promise<void> {
  const models = openCatalogue(config, note);
  const listings = listModels(models, await createMemoryPlans(models, (work) => withPlanner(config, work))());
  if (json) printJson(listings.map(jsonOf));
  else {
    print(renderModelTable(listings));
    note(`fanfold models catalogue shows ${models.library().length} more that can be pulled by their ids.`);
  }
}

function jsonOf({ sizeBytes, memory, contextTokens, ...listing }: ModelListing) {
  const { id, kind, installed, dimensions, rate, from, training } = listing;
  return {
    id,
    kind,
    installed,
    size_bytes: sizeBytes,
    memory_bytes: memory?.model.ram ?? null,
    vram_bytes: memory?.model.vram ?? null,
    adapter_memory_bytes: memory?.adapters.ram ?? null,
    adapter_vram_bytes: memory?.adapters.vram ?? null,
    runs_on: memory?.runsOn ?? null,
    context: contextTokens,
    dimensions,
    rate,
    from,
    training,
  };
}

export type AddFlags = SettingsFlags & {
  kind?: ModelKind;
  gguf: string;
  rate?: string;
  name?: string;
  queryInstruction?: string;
  force?: boolean;
};

export async function addModelCommand(config: Config, id: string, flags: AddFlags): Promise<void> {
  await prepareDataFolder(config.dataDir);
  const { kind, gguf: ggufPath, rate, name, queryInstruction, force } = flags;
  const { contextTokens, sequences, kv } = changeOf(flags);
  const models = openCatalogue(config, note);
  const report = await withPlanner(config, (planner) =>
    addModel(models, {
      id,
      kind,
      ggufPath,
      contextTokens: contextTokens ?? undefined,
      sequences: sequences ?? undefined,
      kv,
      rate,
      name,
      queryInstruction,
      force,
      planner,
    }),
  );
  for (const line of [...report.missing, ...report.warnings]) note(line);
  print(
    `${report.id} is installed: ${report.kind} model, ${report.contextTokens} tokens of context, sha256 ${report.sha256}.`,
  );
  noteChoice(report);
}

/** Of a model that could have a longer context elsewhere. */
export function noteChoice({ id, choice }: { id: string; choice: ContextChoice | null }): void {
  if (choice?.limitedBy === 'memory')
    note(`The model supports ${choice.supportedTokens} tokens; \`fanfold models show ${id}\` tells what more takes.`);
}

export async function removeModelCommand(config: Config, id: string, { force }: { force?: boolean }): Promise<void> {
  const listUsesOf = (baseModelId: string) => useDatabase(config, (database) => listModelUses(database, baseModelId));
  const report = await removeModel(openCatalogue(config, note), { id, force, listUsesOf });
  const { deletedFile, deletedWeights } = report;
  if (deletedWeights) print(`The weights to train ${id} on are deleted: ${deletedWeights}`);
  if (deletedFile) print(`${id} is removed, its file is deleted.`);
  else if (!deletedWeights) print(`${id} is removed; its file stays.`);
}

export function kindOf(text: string): ModelKind {
  const kind = modelKinds.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new OperatorError(`The kind must be one of ${modelKinds.join(', ')}.`);
}

const cataloguePath = fileURLToPath(new URL('../../models/catalogue.yaml', import.meta.url));

export function openCatalogue(config: Config, onWarning: (line: string) => void): ModelsService {
  return openModels({ cataloguePath, dataDir: config.dataDir, onWarning });
}
