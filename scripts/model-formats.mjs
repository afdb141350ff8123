/** `npm run model-formats`: writes the table of call formats, as the tests have them, into the guide. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withFormatTable } from '../test/support/model-formats.ts';

const guide = new URL('../docs/guides/model-formats.md', import.meta.url);
writeFileSync(guide, withFormatTable(readFileSync(guide, 'utf8')));
