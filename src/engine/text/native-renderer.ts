import { createRequire } from 'node:module';
import path from 'node:path';
import type { Addon } from '../llama/addon.ts';

const require = createRequire(import.meta.url);
const packages = [`${process.platform}-${process.arch}`, 'mac-arm64-metal', 'mac-x64', 'win-x64', 'win-arm64'];

/** The Jinja interpreter of llama.cpp's addon, in processes that have no model loaded. Throws where this machine has no addon. */
export function nativeRenderer(source: string): (values: Record<string, unknown>) => string {
  const renderer = new (addon().AddonJinjaRenderer)(source);
  return (values) => renderer.render(values);
}

function addon(): Pick<Addon, 'AddonJinjaRenderer'> {
  for (const name of packages) {
    try {
      const folder = path.dirname(path.dirname(require.resolve(`@node-llama-cpp/${name}`)));
      // A native module has no types of its own: `binding.test.ts` proves these.
      return require(path.join(folder, 'bins', name, 'llama-addon.node')) as Addon;
    } catch {}
  }
  throw new Error('There is no addon of llama.cpp for this machine.');
}
