import { fileURLToPath } from 'node:url';
import { buildSite } from '#web';
import { print } from './terminal.ts';

/** Makes what a server would make at its first start, so that images need nothing that can be written. */
export async function prepareCommand(): Promise<void> {
  // An image is built by one user and runs as another one.
  process.umask(0o022);
  const folder = await buildSite(fileURLToPath(new URL('../..', import.meta.url)));
  print(`The web app is in ${folder}.`);
}
