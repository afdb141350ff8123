import type { Command } from 'commander';
import { prepareDataFolder } from '#db';
import { OperatorError } from '#kernel';
import {
  type BaseModel,
  formatBytes,
  type HubAccess,
  type ModelsService,
  type PulledWeights,
  pullModel,
  pullWeights,
  renderProgress,
  searchHub,
} from '#models';
import type { Config } from '../config.ts';
import { noteChoice, openCatalogue } from './models.ts';
import { withPlanner } from './planner.ts';
import { type Cell, jsonOption, type ListFlags, note, print, printList } from './terminal.ts';

type PullFlags = { id?: string; revision?: string; force?: boolean; weights?: boolean };
type SearchFlags = ListFlags & { limit: string };
type Program = { config: () => Config; stop: () => AbortSignal };

/** The commands about models that are not here yet. */
export function addPullCommands(models: Command, { config, stop }: Program): void {
  models
    .command('catalogue')
    .description('show the models that can be pulled by an id')
    .option(...jsonOption)
    .action((flags: ListFlags) => catalogueCommand(config(), flags));
  models
    .command('search <word...>')
    .description('search the hub for GGUF models, most downloaded first')
    .option('--limit <number>', 'most results, 1 to 100', '20')
    .option(...jsonOption)
    .action((words: string[], flags: SearchFlags) => searchCommand(config(), words.join(' '), { ...flags, stop }));
  models
    .command('pull <model>')
    .description('fetch a model of the catalogue or of the hub; an interrupted pull goes on where it stopped')
    .addHelpText(
      'after',
      '\nA model is an id of the catalogue (qwen3-4b, qwen3-4b:q8_0) or a repository of the hub: org/repo, org/repo:Q4_K_M,\norg/repo/file.gguf, org/repo@revision, with hf.co/ before it or not, or its address. Without a quantisation, the\nlargest that fits into what models may take here is taken.',
    )
    .option('--id <id>', 'what it is called here; default: the name of its repository')
    .option('--revision <revision>', 'branch, tag or commit')
    .option('--weights', 'fetch the weights that training needs, instead of the file that serves')
    .option('--force', 'fetch again what is installed')
    .action((model: string, flags: PullFlags) => pullCommand(config(), model, { ...flags, signal: stop() }));
}

function catalogueCommand(config: Config, flags: ListFlags): void {
  const models = openCatalogue(config, note);
  const pullable = [...models.baseModels(), ...models.library()].filter(({ source }) => source?.type === 'hub');
  const rows = pullable.map((model): Cell[] => [
    ...[model.id, model.kind, flags.json ? model.parameters : formatCount(model.parameters), model.maxContextTokens],
    ...[model.tools, model.reasoningEfforts.length > 0, model.license, model.installed !== null, repoOf(model)],
  ]);
  const fields = ['id', 'kind', 'parameters', 'context', 'tools', 'reasoning', 'license', 'installed', 'repo'];
  printList(fields, rows, flags);
}

function repoOf({ source }: BaseModel): string | null {
  return source?.type === 'hub' ? source.repo : null;
}

/** `596M`, `4.02B`. */
function formatCount(count: number): string {
  const [unit, size] = count >= 999.5e6 ? ['B', 1e9] : ['M', 1e6];
  return `${Number((count / Number(size)).toPrecision(3))}${unit}`;
}

const mostResults = 100;

async function searchCommand(
  config: Config,
  word: string,
  { limit, stop, ...flags }: SearchFlags & Pick<Program, 'stop'>,
): Promise<void> {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > mostResults)
    throw new OperatorError(`--limit must be a whole number from 1 to ${mostResults}.`);
  const found = await searchHub(accessOf(config, stop()), { word, limit: most });
  const rows = found.map(({ repo, downloads, likes, updated, license, isGated }): Cell[] => [
    ...[repo, downloads, likes, updated, license, isGated],
  ]);
  printList(['repo', 'downloads', 'likes', 'updated', 'license', 'gated'], rows, flags);
  if (found.length === 0) note('The hub has no GGUF model of this name.');
}

function accessOf(config: Config, signal: AbortSignal): HubAccess {
  const isTerminal = process.stderr.isTTY;
  return {
    endpoint: config.hubEndpoint,
    token: config.hubToken,
    signal,
    onNote: note,
    onProgress: (progress) => {
      // Rewrites its line on a terminal; a log file gets no thousand lines.
      if (isTerminal) process.stderr.write(`\r\x1b[K${renderProgress(progress)}`);
    },
  };
}

async function pullCommand(
  config: Config,
  model: string,
  { weights = false, signal, ...flags }: PullFlags & { signal: AbortSignal },
): Promise<void> {
  await prepareDataFolder(config.dataDir);
  const models = openCatalogue(config, note);
  const access = accessOf(config, signal);
  const endLine = () => {
    if (process.stderr.isTTY) process.stderr.write('\n');
  };
  if (weights) {
    if (flags.id !== undefined || flags.revision !== undefined)
      throw new OperatorError('--weights takes a model of the catalogue as it is: --id and --revision are not for it.');
    const pull = pullWeights(models, { ...access, id: model, force: flags.force });
    return printWeights(models, await pull.finally(endLine));
  }
  const report = await withPlanner(config, (planner) =>
    pullModel(models, { ...access, ...flags, model, planner, onChosen: note }).finally(endLine),
  );
  if (report.outcome === 'already_installed') print(`${report.id} is installed already: ${report.path}`);
  else {
    print(`${report.id} is installed: ${report.path}, sha256 ${report.sha256}.`);
    noteChoice(report);
  }
}

function printWeights(models: ModelsService, report: PulledWeights): void {
  const { id, folder } = report;
  if (report.outcome === 'already_installed') print(`The weights of ${id} are here already: ${folder}`);
  else print(`The weights of ${id} are here: ${folder}, ${formatBytes(report.sizeBytes)}, commit ${report.commit}.`);
  if (!models.find(id)?.installed) print(`Training on it needs its file, too: fanfold models pull ${id}`);
}
