import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installLlamaServer, serveArguments } from '#test/llama-server.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { isWell, Machine } from './machine.ts';
import type { Place } from './network.ts';
import { program } from './replica.ts';

/** A base model that no replica has: whoever asks for it is answered by the remote engine or by nobody. */
export const remoteModel = 'qwen3-0.6b';
const served = 'fanfold-tiny-chat';
const port = 8080;

/** llama.cpp's own server, with the tiny model, on a machine of its own. */
export function createRemoteEngine(place: Place): Machine {
  const here = { ...place, port: place.prefix.length > 0 ? port : place.port };
  return new Machine({
    name: 'engine-1',
    place: here,
    launch: async () => {
      const gguf = openShippedModels().find(served)?.installed?.ggufPath ?? '';
      const args = [await installLlamaServer(), ...serveArguments(gguf, here.port)];
      return { args, environment: { HOST: here.host } };
    },
    isReady: () => isWell(`http://${here.host}:${here.port}/health`),
  });
}

/** As an operator does it, beside the servers. */
export async function addRoute({ name, place }: Machine, environment: Record<string, string>): Promise<void> {
  const url = `http://${place.host}:${place.port}/v1`;
  const flags = ['--model', remoteModel, '--api', 'llama-server', '--url', url, '--capacity', '4'];
  const env = { ...process.env, ...environment };
  await promisify(execFile)(process.execPath, [program, 'routes', 'add', name, ...flags], { env });
}
