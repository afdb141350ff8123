import { type EngineModel, type MemoryBytes, type ModelPlanner, modelFiles } from '#engine';
import { formatCredits } from '#kernel';
import type { BaseModel } from './base-model.ts';
import type { ModelKind } from './model-kinds.ts';
import type { ModelsService } from './models-service.ts';
import { statFile } from './registered-files.ts';

export type ModelListing = {
  id: string;
  kind: ModelKind;
  installed: boolean;
  /** Of the installed file, or as the catalogue knows it. */
  sizeBytes: number | null;
  /** When it is loaded; null: it is not installed. */
  memory: PlannedMemory | null;
  contextTokens: number;
  dimensions: number | null;
  rate: string;
  from: 'shipped' | 'hub' | 'file';
  training: Trainability;
};

export type PlannedMemory = {
  /** With as many calls at once as it may run. */
  model: MemoryBytes;
  /** Contexts for the adapters of its jobs, beside it. */
  adapters: MemoryBytes;
  /** `CPU`, or a backend with its devices and layers. */
  runsOn: string;
};

/** Throws the file system's error when the file cannot be read. */
export async function planMemory(planner: ModelPlanner, model: EngineModel): Promise<PlannedMemory | null> {
  const memory = await planner.memoryOf(model);
  const [most] = memory.need;
  if (!most) return null;
  const { base, adapterContext, mostContexts } = most;
  return {
    model: base,
    adapters: { ram: mostContexts * adapterContext.ram, vram: mostContexts * adapterContext.vram },
    runsOn: await planner.runsOn(model, memory, planner.budgetFor(memory)),
  };
}

/** Whether jobs can train a model, and if not, what is missing. */
export type Trainability = 'yes' | 'no' | 'file missing' | 'weights missing' | 'both missing';

export function listModels(
  models: ModelsService,
  memory: ReadonlyMap<string, PlannedMemory> = new Map(),
): ModelListing[] {
  const installedFirst = models
    .baseModels()
    .toSorted((a, b) => Number(b.installed !== null) - Number(a.installed !== null));
  return installedFirst.map((model) => ({
    id: model.id,
    kind: model.kind,
    installed: model.installed !== null,
    sizeBytes: sizeOf(model),
    memory: memory.get(model.id) ?? null,
    contextTokens: model.maxContextTokens,
    dimensions: model.dimensions,
    rate: formatCredits(model.rateMicroPerMinute),
    from: model.source?.type ?? 'file',
    training: trainabilityOf(models, model),
  }));
}

function trainabilityOf({ catalogue, trainingProfile }: ModelsService, { id, installed }: BaseModel): Trainability {
  const profile = trainingProfile(id);
  if (!profile || (catalogue.otherRates.get(id)?.trainingMicroPerMinute ?? null) === null) return 'no';
  if (profile.weightsFolder === null) return installed ? 'weights missing' : 'both missing';
  return installed ? 'yes' : 'file missing';
}

function sizeOf(model: BaseModel): number | null {
  if (model.installed)
    return modelFiles(model.installed.ggufPath).reduce((sum, path) => sum + (statFile(path)?.size ?? 0), 0);
  return model.source?.type === 'hub' ? model.source.sizeBytes : null;
}

export function renderModelTable(listings: readonly ModelListing[]): string {
  const head = [
    'ID',
    'KIND',
    'INSTALLED',
    'SIZE',
    'MEMORY',
    'CONTEXT',
    'DIMENSIONS',
    'RATE',
    'FROM',
    'TRAINING',
    'RUNS ON',
  ];
  const rows = listings.map((row) => [
    row.id,
    row.kind,
    row.installed ? 'yes' : 'no',
    row.sizeBytes === null ? '-' : formatBytes(row.sizeBytes),
    row.memory === null ? '-' : `${formatMemory(row.memory.model)} + ${formatMemory(row.memory.adapters)}`,
    String(row.contextTokens),
    row.dimensions === null ? '-' : String(row.dimensions),
    row.rate,
    row.from,
    row.training,
    row.memory?.runsOn ?? '-',
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `505 MB`, or with a GPU `1.20 GB VRAM, 310 MB`. */
export function formatMemory({ ram, vram }: MemoryBytes): string {
  return vram === 0 ? formatBytes(ram) : `${formatBytes(vram)} VRAM, ${formatBytes(ram)}`;
}

/** `639 MB`, `4.28 GB`: decimal units, three digits. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${size.toFixed(digits)} ${units[unit]}`;
}
