import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Program, startProgram } from '#test/program.ts';

const root = path.join(import.meta.dirname, '../..');
export const alias = 'org/agent:latest';

/** A fresh server whose project `local/chat` has a model behind a serving route, under the name `alias`. */
export async function startAgentServer(upstream: string, { context = 131_072 } = {}) {
  const program = await startProgram();
  const file = path.join(program.dataDir, 'agent.gguf');
  await writeFile(file, withContext(await readFile(path.join(root, 'models/tiny-chat/tiny-chat.gguf')), context));
  await command(program, ['models', 'add', 'agent', '--kind', 'text', '--gguf', file, '--context', `${context}`]);
  await command(program, ['routes', 'add', 'rules', '--model', 'agent', '--url', upstream, '--api', 'openai']);
  const made = await fetch(`${program.url}/api/v1/projects/local/chat/hosted-models`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ alias, target: { type: 'base_model', id: 'agent' }, activate: true }),
  });
  if (made.status !== 201) throw new Error(`The alias was not made: ${await made.text()}`);
  return { ...program, context };
}

export type AgentServer = Awaited<ReturnType<typeof startAgentServer>>;

/** The same model with a longer context: it is there for its tokens and its template, and never runs. */
function withContext(gguf: Buffer, context: number): Buffer {
  const key = 'qwen3.context_length';
  gguf.writeUInt32LE(context, gguf.indexOf(key) + key.length + 4);
  return gguf;
}

function command({ dataDir }: Program, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [path.join(root, 'src/main.ts'), ...words], {
    env: { ...process.env, FANFOLD_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`fanfold ${words.join(' ')}: ${code}`)))),
  );
}
