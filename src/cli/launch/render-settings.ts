import { type AgentProgram, keyReference, type LaunchSettings } from './agent-program.ts';

/** The settings as lines for a shell, which can be run as they are. The key stays in its variable. */
export function renderSettings({ command }: AgentProgram, { env, args, first }: LaunchSettings): string {
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
