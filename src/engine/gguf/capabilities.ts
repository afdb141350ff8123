import { closeSync, openSync, readSync } from 'node:fs';
import { lazy } from '#kernel';
import { capabilitiesOf, type TemplateCapabilities } from '../text/formats/capabilities.ts';
import { detectOutputFormat } from '../text/formats/output-format.ts';
import { createRenderer, templateProbe } from '../text/template-renderer.ts';
import { readGgufHeader } from './header.ts';

/** Vocabularies stand in the first bytes of a file; the largest take ten megabytes. */
const headBytes = 32 * 1024 * 1024;

/**
 * What a text model can do, found by rendering conversations through its chat template; null: it has none, or one that cannot be read.
 * Throws as `readGgufHeader` does.
 */
export function readCapabilities(ggufPath: string): TemplateCapabilities | null {
  const source = readGgufHeader(ggufPath).values.get('tokenizer.chat_template');
  if (typeof source !== 'string' || source === '') return null;
  const head = lazy(() => readHead(ggufPath));
  const options = {
    source,
    bosToken: '',
    eosToken: '',
    now: () => new Date(),
    hasToken: (text: string) => head().includes(text),
  };
  try {
    return capabilitiesOf(detectOutputFormat(templateProbe(options, createRenderer(options))));
  } catch {
    return null;
  }
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(file, head, 0, headBytes, 0));
  } finally {
    closeSync(file);
  }
}
