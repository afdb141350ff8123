import type { CallFormat, CallFormatModule, CallFormatSpec } from './call-format.ts';
import { derivedCalls, hermesLayout } from './derived-calls.ts';
import { describedCalls } from './described-calls.ts';
import { gemmaCalls } from './gemma-calls.ts';
import { harmonyCalls } from './harmony-calls.ts';
import { minimaxCalls } from './minimax-calls.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import type { TemplateProbe } from './template-probe.ts';

/** Formats of calls, in the order in which a template is tried. A new one is a file and a line here. */
const modules = [harmonyCalls, gemmaCalls, minimaxCalls, pythonicCalls, derivedCalls, describedCalls] as const;

const byName = new Map<string, CallFormatModule>(
  // `bind` gets the layout that `detect` of the same module made.
  modules.map((module) => [module.name, module as CallFormatModule]),
);

/** The format in which a template writes calls; null: it writes none. */
export function detectCalls(probe: TemplateProbe): CallFormatSpec | null {
  for (const { name, detect } of byName.values()) {
    const layout = detect(probe);
    if (layout !== null) return { name, layout };
  }
  return null;
}

export const hermesCalls: CallFormatSpec = { name: derivedCalls.name, layout: hermesLayout };

export function bindCalls({ name, layout }: CallFormatSpec): CallFormat {
  const module = byName.get(name);
  if (module === undefined) throw new Error(`There is no call format ${name}. This is a bug.`);
  return module.bind(layout);
}
