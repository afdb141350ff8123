import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type DialectName, dialectNames, engineDialects, isDialectName } from '#engine';
import { OperatorError } from '#kernel';
import { deleteRoute, listRoutes, modelIdPattern, putRoute, type ServingRouteRow, setDraining } from '#models';
import type { Config } from '../config.ts';
import { openCatalogue } from './models.ts';
import { type Cell, jsonOption, type ListFlags, print, printList } from './terminal.ts';
import { useDatabase } from './use-database.ts';

type AddFlags = {
  model: string;
  url: string;
  api: string;
  upstreamModel?: string;
  secretEnv?: string;
  secretFile?: string;
  capacity: string;
  weight: string;
  adaptersFolder?: string;
  adaptersSeenAs?: string;
  vision?: boolean;
};

/** `routes`: the remote engines that serve base models. A change is in effect on every server within two seconds. */
export function addRouteCommands(routes: Command, config: () => Config): void {
  routes
    .command('list')
    .description('show the remote engines')
    .option(...jsonOption)
    .action((flags: ListFlags) => listCommand(config(), flags));
  routes
    .command('add <name>')
    .description('serve a base model by a remote engine, or set the engine of this name up anew')
    .requiredOption('-m, --model <base-model>', 'base model that it serves')
    .requiredOption('-u, --url <url>', 'base URL as an OpenAI client has it, such as http://10.0.0.7:8000/v1')
    .option('--api <api>', `what it is: ${dialectNames.join(', ')}`, 'openai')
    .option('--upstream-model <name>', 'name of the model there, if it is another')
    .option('--secret-env <name>', 'environment variable of the servers that holds its key')
    .option('--secret-file <path>', 'file on the servers that holds its key')
    .option('--capacity <calls>', 'calls that it takes at a time', '64')
    .option('--weight <number>', 'share of the work in comparison with others', '1')
    .option(
      '--adapters-folder <path>',
      'folder shared with it, for the adapters of training jobs; default: it serves none',
    )
    .option('--adapters-seen-as <path>', 'path of that folder where it runs, if it is another')
    .option('--vision', 'its model reads images')
    .action((name: string, flags: AddFlags) => addCommand(config(), name, flags));
  for (const [verb, draining, done, description] of [
    ['drain', true, 'Drains', 'send nothing new to a remote engine; what runs there ends there'],
    ['resume', false, 'Takes calls again', 'send calls to a remote engine again'],
  ] as const)
    routes
      .command(`${verb} <name>`)
      .description(description)
      .action((name: string) => changeCommand(config(), name, (sql) => setDraining(sql, { id: name, draining }), done));
  routes
    .command('remove <name>')
    .description('forget a remote engine')
    .action((name: string) => changeCommand(config(), name, (sql) => deleteRoute(sql, name), 'Removed'));
}

type Sql = Parameters<typeof listRoutes>[0];

function listCommand(config: Config, flags: ListFlags) {
  return useDatabase(config, async (database) => {
    const rows = await listRoutes(database);
    const lines = rows.map((row): Cell[] => [
      ...[row.id, row.baseModelId, row.api, row.url, row.upstreamModel],
      ...[row.capacity, row.weight, row.adaptersFolder ?? null, row.vision === true, row.draining ? 'draining' : 'on'],
    ]);
    const fields = ['name', 'model', 'api', 'url', 'model_there', 'capacity', 'weight', 'adapters', 'vision', 'state'];
    printList(fields, lines, flags);
  });
}

function addCommand(config: Config, name: string, flags: AddFlags) {
  const route = readRoute(name, flags);
  const models = openCatalogue(config, print);
  const model = models.findKnown(route.baseModelId);
  if (!model)
    throw new OperatorError(
      `There is no base model ${route.baseModelId}. See: fanfold models list, fanfold models catalogue`,
    );
  const { countTexts, rerankRequest } = engineDialects[route.api];
  if (rerankRequest === null && model.kind === 'reranker')
    throw new OperatorError(`--api ${route.api}: this engine does not rerank, and ${model.id} is a reranker.`);
  if (countTexts === null && model.kind !== 'text' && !model.installed)
    throw new OperatorError(
      `Tokens of ${model.id} cannot be counted by this engine. Say which it is with --api, or install the model's file here as well.`,
    );
  return useDatabase(config, async (database) => {
    await putRoute(database, route);
    print(`${model.id} is served by ${route.url} (${name}).`);
    const { adaptersFolder } = route;
    if (adaptersFolder && !existsSync(adaptersFolder))
      print(`There is no folder ${adaptersFolder} here. It serves adapters where every server has it.`);
  });
}

function readRoute(id: string, flags: AddFlags): ServingRouteRow & { api: DialectName } {
  if (!modelIdPattern.test(id))
    throw new OperatorError('A route is named in lower-case letters, digits, ".", "_" and "-".');
  const { api } = flags;
  if (!isDialectName(api)) throw new OperatorError(`--api: expected one of ${dialectNames.join(', ')}.`);
  const url = flags.url.replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new OperatorError('--url: expected http://... or https://...');
  const capacity = Number(flags.capacity);
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 10_000)
    throw new OperatorError('--capacity: expected a whole number, 1 to 10000.');
  const weight = Number(flags.weight);
  if (!(weight > 0 && weight <= 1_000_000)) throw new OperatorError('--weight: expected a number above 0.');
  const { secretEnv, secretFile, model: baseModelId, upstreamModel = baseModelId, vision = false } = flags;
  if (secretEnv !== undefined && secretFile !== undefined)
    throw new OperatorError('Give one of --secret-env and --secret-file.');
  const secretSource = secretEnv ? `env:${secretEnv}` : secretFile ? `file:${secretFile}` : null;
  const adapters = readAdapters(api, flags);
  const rest = { secretSource, capacity, weight, draining: false, vision };
  return { id, baseModelId, api, url, upstreamModel, ...rest, ...adapters };
}

const withAdapters = dialectNames.filter((name) => engineDialects[name].adapters !== null);

function readAdapters(api: DialectName, flags: AddFlags) {
  const { adaptersFolder = null, adaptersSeenAs = null } = flags;
  if (adaptersSeenAs !== null && adaptersFolder === null)
    throw new OperatorError('--adapters-seen-as: says what --adapters-folder is called elsewhere; give that, too.');
  if (adaptersFolder !== null && !withAdapters.includes(api))
    throw new OperatorError(`--adapters-folder: needs --api ${withAdapters.join(', ')}.`);
  for (const path of [adaptersFolder, adaptersSeenAs]) {
    if (path !== null && !path.startsWith('/'))
      throw new OperatorError('--adapters-folder, --adapters-seen-as: expected an absolute path.');
  }
  return { adaptersFolder, adaptersSeenAs };
}

function changeCommand(config: Config, name: string, change: (sql: Sql) => Promise<boolean>, done: string) {
  return useDatabase(config, async (database) => {
    if (!(await change(database)))
      throw new OperatorError(`There is no serving route ${name}. See: fanfold routes list`);
    print(`${done}: ${name}.`);
  });
}
