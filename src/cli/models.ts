import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '#db';
import { defaultSettings, type PlannedMemory, planMemory } from '#engine';
import { OperatorError } from '#kernel';
import {
  addModel,
  listHostedModelsByBase,
  listModels,
  type ModelKind,
  type ModelListing,
  type ModelsService,
  openModels,
  removeModel,
  renderModelTable,
} from '#models';
import { listLiveJobsByBase } from '#training';
import type { Config } from '../config.ts';
import { type ListFlags, note, print, printJson } from './terminal.ts';
import { useDatabase } from './use-database.ts';

export async function listModelsCommand(config: Config, { json = false }: ListFlags): Promise<void> {
  const models = openCatalogue(config, note);
  const listings = listModels(models, await plannedMemory(config, models));
  if (json) printJson(listings.map(jsonOf));
  else print(renderModelTable(listings));
}

function jsonOf({ sizeBytes, memory, contextTokens, ...listing }: ModelListing) {
  const { id, kind, installed, dimensions, rate, from, training } = listing;
  return {
    id,
    kind,
    installed,
    size_bytes: sizeBytes,
    memory_bytes: memory?.modelBytes ?? null,
    adapter_memory_bytes: memory?.adapterBytes ?? null,
    context: contextTokens,
    dimensions,
    rate,
    from,
    training,
  };
}

async function plannedMemory(config: Config, models: ModelsService): Promise<Map<string, PlannedMemory>> {
  const settings = { ...defaultSettings(), sequences: config.engineSequences };
  const planned = new Map<string, PlannedMemory>();
  for (const { id, kind, maxContextTokens, installed } of models.baseModels()) {
    if (!installed) continue;
    // Whose file is gone has no size either.
    const memory = await planMemory({ kind, maxContextTokens, ggufPath: installed.ggufPath }, settings).catch(
      () => null,
    );
    if (memory) planned.set(id, memory);
  }
  return planned;
}

export type AddFlags = {
  kind?: ModelKind;
  gguf: string;
  context?: string;
  rate?: string;
  name?: string;
  queryInstruction?: string;
  force?: boolean;
};

export async function addModelCommand(config: Config, id: string, flags: AddFlags): Promise<void> {
  await prepareDataFolder(config.dataDir);
  const { kind, gguf: ggufPath, context, rate, name, queryInstruction, force } = flags;
  const contextTokens = context === undefined ? undefined : Number(context);
  const models = openCatalogue(config, note);
  const options = { id, kind, ggufPath, contextTokens, rate, name, queryInstruction, force };
  const report = await addModel(models, options);
  for (const warning of report.warnings) note(warning);
  print(
    `${report.id} is installed: ${report.kind} model, ${report.contextTokens} tokens of context, sha256 ${report.sha256}.`,
  );
}

export async function removeModelCommand(config: Config, id: string, { force }: { force?: boolean }): Promise<void> {
  const listUsesOf = (baseModelId: string) =>
    useDatabase(config, async (database) => {
      const aliases = await listHostedModelsByBase(database, baseModelId);
      const jobs = await listLiveJobsByBase(database, baseModelId);
      return [
        ...aliases.map(({ alias, projectId }) => `${alias} of project ${projectId}`),
        ...jobs.map((job) => `training job ${job.id}`),
      ];
    });
  const report = await removeModel(openCatalogue(config, note), { id, force, listUsesOf });
  const { deletedFile, deletedWeights } = report;
  if (deletedWeights) print(`The weights to train ${id} on are deleted: ${deletedWeights}`);
  if (deletedFile) print(`${id} is removed, its file is deleted.`);
  else if (!deletedWeights) print(`${id} is removed; its file stays.`);
}

export function kindOf(text: string): ModelKind {
  if (text === 'text' || text === 'embedding') return text;
  throw new OperatorError('The kind must be text or embedding.');
}

const cataloguePath = fileURLToPath(new URL('../../models/catalogue.yaml', import.meta.url));

export function openCatalogue(config: Config, onWarning: (line: string) => void): ModelsService {
  return openModels({ cataloguePath, dataDir: config.dataDir, onWarning });
}
