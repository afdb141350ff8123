import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { dialectNames } from '#engine';
import { OperatorError } from '#kernel';
import { deleteRoute, listRoutes, saveRoute, setDraining } from '#models';
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
  const { model: baseModelId, capacity, weight, ...rest } = flags;
  const models = openCatalogue(config, print);
  return useDatabase(config, async (database) => {
    const description = { ...rest, name, baseModelId, capacity: Number(capacity), weight: Number(weight) };
    const { url, adaptersFolder } = await saveRoute(database, models, description);
    print(`${baseModelId} is served by ${url} (${name}).`);
    if (adaptersFolder && !existsSync(adaptersFolder))
      print(`There is no folder ${adaptersFolder} here. It serves adapters where every server has it.`);
  });
}

function changeCommand(config: Config, name: string, change: (sql: Sql) => Promise<boolean>, done: string) {
  return useDatabase(config, async (database) => {
    if (!(await change(database)))
      throw new OperatorError(`There is no serving route ${name}. See: fanfold routes list`);
    print(`${done}: ${name}.`);
  });
}
