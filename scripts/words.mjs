/** `npm run words`: makes the program that counts words of its text. */
import { writeFileSync } from 'node:fs';
import { assembled } from '../src/engine/tokens/words.fixture.ts';

writeFileSync(new URL('../src/engine/tokens/words.wasm', import.meta.url), await assembled());
