import { Command } from 'commander';
import { nearestName, OperatorError, UsageError } from '#kernel';
import { modelKinds } from '#models';
import manifest from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import { readRoles } from '../settings/readers.ts';
import { settings } from '../settings/settings.ts';
import { addAccountCommands, grantCommand } from './accounts.ts';
import { doctorCommand } from './doctor.ts';
import { localAccount } from './first-start.ts';
import { createKeyCommand, deleteKeyCommand, listKeysCommand, setKeyActiveCommand } from './keys.ts';
import { addLaunchCommand } from './launch/launch.ts';
import { addLimitCommands, withLimitOptions } from './limits.ts';
import { setModelCommand, showModelCommand } from './model-settings.ts';
import { type AddFlags, addModelCommand, kindOf, listModelsCommand, removeModelCommand } from './models.ts';
import { contextOption, kvOption, type SettingsFlags, sequencesOption } from './planner.ts';
import { prepareCommand } from './prepare.ts';
import { createProjectCommand, listProjectsCommand, type ProjectFlags, projectKindIn } from './projects.ts';
import { addPullCommands } from './pull-models.ts';
import { addRouteCommands } from './routes.ts';
import { jsonOption, type ListFlags, print } from './terminal.ts';
import { databaseUrlCommand, useDatabase } from './use-database.ts';

/**
 * `stop` is for commands that end in order: what it gives aborts when the process is asked to end. `umask` is the file mode
 * mask that the user has.
 */
export type ProgramOptions = { config: () => Config; stop: () => AbortSignal; umask?: number };

/** The command line. Each command reads the configuration when it runs, so that `help` works with a broken one. */
export function createProgram({ config, stop, umask = 0o022 }: ProgramOptions): Command {
  const program = new Command('fanfold').description('Self-hosted inference and fine-tuning platform');
  program.version(manifest.version, '--version', 'print the version');
  program.addHelpText(
    'after',
    '\nIn a checkout, fanfold is `npm run -s fanfold --`.\nCommands work on the database of DATABASE_URL, else on that of the data folder (FANFOLD_DATA_DIR, ./data).\nResults go to stdout, what else is to be said to stderr. Exit code 0: done; 1: not done, with the reason; 2: there is no such command.',
  );
  addServeCommand(program, { config, stop });
  const keys = program.command('keys').description('API keys of an account');
  addKeyCommands(keys, config);
  addProjectCommands(program.command('projects').description('projects of an account'), config);
  addModelCommands(program.command('models').description('base models'), { config, stop });
  addRouteCommands(program.command('routes').description('remote engines that serve base models'), config);
  const accounts = program.command('accounts').description('accounts');
  addAccountCommands(accounts, config);
  addLimitCommands({ keys, accounts }, config);
  addCreditCommands(program.command('credits').description('credits of an account'), config);
  addLaunchCommand(program, { config, umask });
  addInstallationCommands(program, config);
  addHelpCommand(program);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0))
    group.on('command:*', ([unknown = '']: string[]) => {
      throw noSuchCommand(group, unknown);
    });
  return program;
}

function addServeCommand(program: Command, { config, stop }: ProgramOptions): void {
  program
    .command('serve', { isDefault: true })
    .description('start the server; the same without a command')
    .option('--roles <roles>', 'serve, worker or both; default: both, or FANFOLD_ROLES')
    // A mistyped command ends up here, because this is the default.
    .allowExcessArguments()
    .action(async (flags: { roles?: string }, { args: [unknown] }: Command) => {
      if (unknown !== undefined) throw noSuchCommand(program, unknown);
      const settled = withRoles(config(), flags.roles);
      const signal = stop();
      // The whole program takes a while to load, which no other command needs.
      const { serve } = await import('./serve.ts');
      return serve(settled, signal);
    });
}

function addInstallationCommands(program: Command, config: Read): void {
  program
    .command('doctor')
    .description('check the accounting and check the installation')
    .option('--remove-objects', 'remove files in the object store that crashes have left and nothing leads to')
    .action((flags: { removeObjects?: boolean }) => doctorCommand(config(), flags));
  program
    .command('migrate')
    .description('bring the database up to this release')
    .action(() => useDatabase(config(), async () => print('The database is up to date.')));
  program
    .command('prepare')
    .description('make ahead what a first start would make, for images')
    .action(() => prepareCommand());
  program
    .command('database-url')
    .description('print the address of the database, password included, for psql and pg_dump')
    .action(() => databaseUrlCommand(config()));
}

function addHelpCommand(program: Command): void {
  program
    .command('help [command...]')
    .description('display help for a command')
    .action((names: string[]) => findCommand(program, names).outputHelp());
}

function findCommand(program: Command, [name, ...rest]: readonly string[]): Command {
  if (name === undefined) return program;
  const command = program.commands.find((each) => each.name() === name);
  if (!command) throw noSuchCommand(program, name);
  return findCommand(command, rest);
}

function noSuchCommand(parent: Command, name: string): UsageError {
  const names = parent.commands.map((command) => command.name());
  const nearest = nearestName(name, names);
  const command = [...pathOf(parent), name].join(' ');
  const others = names.length > 0 ? ` There are ${names.join(', ')}.` : '';
  return new UsageError(
    `There is no command "${command}".${nearest === null ? '' : ` Did you mean ${nearest}?`}${others}`,
  );
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

function withRoles(config: Config, text: string | undefined): Config {
  if (text === undefined) return config;
  const roles = readRoles(text);
  if (roles) return { ...config, roles };
  throw new OperatorError(`--roles must be ${settings.roles.expected}.`);
}

type Read = ProgramOptions['config'];

const accountOption = ['-a, --account <slug>', 'account', localAccount] as const;

function addKeyCommands(keys: Command, config: Read): void {
  withLimitOptions(keys.command('create'))
    .description('make an active key and print it, this once')
    .option(...accountOption)
    .option('-n, --name <name>', 'what the key is for')
    .action((options) => createKeyCommand(config(), options));
  keys
    .command('list')
    .description('show the keys, without their secrets')
    .option(...accountOption)
    .option(...jsonOption)
    .action((options) => listKeysCommand(config(), options));
  for (const [name, active] of [
    ['activate', true],
    ['deactivate', false],
  ] as const)
    keys
      .command(`${name} <key-id>`)
      .description(`${name} a key, from the next request on`)
      .option(...accountOption)
      .action((keyId, { account }) => setKeyActiveCommand(config(), keyId, { account, active }));
  keys
    .command('delete <key-id>')
    .description('delete a key for good')
    .option(...accountOption)
    .action((keyId, options) => deleteKeyCommand(config(), keyId, options));
}

function addProjectCommands(projects: Command, config: Read): void {
  projects
    .command('create <slug>')
    .description('make a project and print its base URL')
    .option(...accountOption)
    .option('--kind <kind>', 'text or embedding', 'text')
    .option('-n, --name <name>', 'display name; default: the slug')
    .option('--description <text>', 'what it is for')
    .option('--public', 'every account may read it and call its public models')
    .action((slug: string, flags: ProjectFlags & { kind: string }) =>
      createProjectCommand(config(), slug, { ...flags, kind: projectKindIn(flags.kind) }),
    );
  projects
    .command('list')
    .description('show the projects')
    .option(...accountOption)
    .option('--archived', 'show those in the archive')
    .option(...jsonOption)
    .action((options) => listProjectsCommand(config(), options));
}

function addModelCommands(models: Command, { config, stop }: ProgramOptions): void {
  models
    .command('list')
    .description('show the models of this installation')
    .option(...jsonOption)
    .action((flags: ListFlags) => listModelsCommand(config(), flags));
  models
    .command('add <id>')
    .description('register a local GGUF file')
    .option('--kind <kind>', `${modelKinds.join(', ')}; default: from the file`)
    .requiredOption('--gguf <file>', 'the file, or the first part of a split model; it stays where it is')
    .option(...contextOption)
    .option(...sequencesOption)
    .option(...kvOption)
    .option('--rate <credits>', 'credits per GPU minute')
    .option('--name <name>', 'display name')
    .option('--query-instruction <text>', 'put before queries (embedding models)')
    .option('--force', 'replace an added model of the same id')
    .action((id: string, { kind, ...flags }: Omit<AddFlags, 'kind'> & { kind?: string }) =>
      addModelCommand(config(), id, { ...flags, ...(kind === undefined ? {} : { kind: kindOf(kind) }) }),
    );
  addPullCommands(models, { config, stop });
  models
    .command('show <id>')
    .description('show which context a model has, why, and what more memory would allow')
    .option(...jsonOption)
    .action((id: string, flags: ListFlags) => showModelCommand(config(), id, flags));
  models
    .command('set <id>')
    .description('change how a model is loaded; a running server loads it anew for the next call')
    .option(...contextOption)
    .option(...sequencesOption)
    .option(...kvOption)
    .action((id: string, flags: SettingsFlags) => setModelCommand(config(), id, flags));
  models
    .command('remove <id>')
    .description('take an added or pulled model out of the installation')
    .option('--force', 'also when aliases or training jobs use it')
    .action((id, flags) => removeModelCommand(config(), id, flags));
}

function addCreditCommands(credits: Command, config: Read): void {
  credits
    .command('grant <amount>')
    .description('give credits')
    .option(...accountOption)
    .option('--note <text>', 'why, for the ledger')
    .action((amount, options) => grantCommand(config(), amount, options));
}
