import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { OperatorError } from '#kernel';
import type { Config } from '../../config.ts';
import { localAccount, localProjects } from '../first-start.ts';
import { note, print } from '../terminal.ts';
import { askServer } from './ask-server.ts';
import { type AgentProgram, agentPrograms, keyReference, keyVariable, type LaunchSettings } from './programs.ts';
import { runProgram, userEnvironment } from './run-program.ts';

type Flags = { project: string; model?: string; url?: string; run?: boolean; yes?: boolean };

type LaunchOptions = {
  config: () => Config;
  umask: number;
};

/** `launch`: lets programs that work with models by themselves use this installation. */
export function addLaunchCommand(program: Command, { config, umask }: LaunchOptions): void {
  const names = agentPrograms.map(({ name }) => name);
  const [{ slug }] = localProjects;
  program
    .command('launch <program> [arguments...]')
    .description(`print the settings with which an agent uses this installation, or start it: ${names.join(', ')}`)
    .option('-p, --project <account/project>', 'project with the model', `${localAccount}/${slug}`)
    .option('-m, --model <name>', 'model in the project; default: its first one')
    .option('-u, --url <url>', 'where Fanfold is; default: FANFOLD_PUBLIC_URL, else HOST and PORT')
    .option('-r, --run', 'start the program; so do arguments for it, behind --')
    .option('-y, --yes', 'let the program write what it keeps in a file of its own (cline)')
    .addHelpText(
      'after',
      `\nThe key is read from ${keyVariable}, and never printed or written. Nothing is written without being asked for.` +
        '\nExamples:\n  fanfold launch claude --run\n  fanfold launch codex --model org/model -- exec "Mend the tests"',
    )
    .action(async (name: string, args: string[], flags: Flags) => {
      const agent = agentPrograms.find((each) => each.name === name);
      if (!agent)
        throw new OperatorError(`There is no program ${JSON.stringify(name)}. There are ${names.join(', ')}.`);
      process.exitCode = await launch(agent, { args, flags, config: config(), umask });
    });
}

type Launch = { args: string[]; flags: Flags; config: Config; umask: number };

async function launch(agent: AgentProgram, { args, flags, config, umask }: Launch): Promise<number> {
  const { project, model } = flags;
  if (!/^[^/\s]+\/[^/\s]+$/.test(project))
    throw new OperatorError('--project must be account/project, such as local/chat.');
  const url = (flags.url ?? config.publicUrl ?? addressOf(config)).replace(/\/+$/, '');
  if (!URL.canParse(url)) throw new OperatorError('--url must be a URL, such as http://127.0.0.1:8787.');
  const key = config.environment[keyVariable] || undefined;
  const serving = await askServer({ url, project, model, key });
  const { contextTokens } = serving;
  if (contextTokens !== null && contextTokens < 32_768)
    note(
      `${serving.model} has a context of ${contextTokens} tokens. ${agent.title} needs 32,768 at least, and 65,536 for work.`,
    );
  const settings = agent.settings(serving);
  if (!flags.run && args.length === 0) {
    print(renderSettings(agent, settings));
    return 0;
  }
  if (key === undefined) throw new OperatorError(`Set ${keyVariable} to a key, for ${agent.title} to use.`);
  const running = { ...userEnvironment(config.environment), key };
  process.umask(umask);
  if (settings.first) {
    if (!(flags.yes || (await agrees(agent, settings.first.writes))))
      throw new OperatorError(`Nothing was written, and ${agent.title} was not started. --yes says yes.`);
    const code = await runProgram(agent, { env: settings.env, args: settings.first.args }, running);
    if (code !== 0) return code;
  }
  return runProgram(agent, { ...settings, args: [...settings.args, ...args] }, running);
}

/** An address on which a server listens everywhere is none to connect to. */
function addressOf({ host, port }: Config): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`;
}

async function agrees({ title }: AgentProgram, file: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(
      `${title} keeps the base URL and the key in ${file}. May it write them there? [y/N] `,
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** The settings as lines for a shell, which can be run as they are. The key stays in its variable. */
function renderSettings({ command }: AgentProgram, { env, args, first }: LaunchSettings): string {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  if (first) lines.push(`# Writes ${first.writes}:`, renderCommand(command, first.args));
  return [...lines, renderCommand(command, args)].join('\n');
}

const renderCommand = (command: string, args: readonly string[]) => [command, ...args.map(shellWord)].join(' ');

function shellWord(text: string): string {
  if (text === keyReference) return `"${text}"`;
  if (/^[A-Za-z0-9_./:@=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
