import { readFileSync } from 'node:fs';
import openWabt from 'wabt';

/** What `words.wasm` must be. */
export async function assembled(): Promise<Uint8Array> {
  const { parseWat } = await openWabt();
  const text = readFileSync(new URL('./words.wat', import.meta.url), 'utf8');
  const module = parseWat('words.wat', text, { simd: true, mutable_globals: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}
