import type { ReasoningEffortName } from './derive-reasoning.ts';
import type { OutputFormatSpec } from './output-format.ts';
import { bindCalls } from './registry.ts';

/** What a text model can do as far as its chat template shows. */
export type TemplateCapabilities = {
  tools: boolean;
  parallelToolCalls: boolean;
  /** Values of `reasoning_effort` that change what it does. */
  reasoningEfforts: ReasoningEffortName[];
  /** One sentence for each that is missing. */
  missing: { tools?: string; parallel_tool_calls?: string; reasoning_effort?: string };
};

export function capabilitiesOf(spec: OutputFormatSpec): TemplateCapabilities {
  // Where the template shows calls only, tools are told in the system message.
  const tools = spec.knowsCalls;
  const parallelToolCalls = tools && bindCalls(spec.calls).parallel;
  const reasoningEfforts = effortsOf(spec);
  const missing: TemplateCapabilities['missing'] = {};
  if (!tools) missing.tools = spec.tools === null ? 'The chat template has no tools.' : unknownForm(spec);
  if (tools && !parallelToolCalls) missing.parallel_tool_calls = 'The chat template takes one call per answer.';
  const reason = missingEffort(spec);
  if (reason !== null) missing.reasoning_effort = reason;
  return { tools, parallelToolCalls, reasoningEfforts, missing };
}

/** Reasoning that a template cannot turn off is closed as soon as it begins. */
function effortsOf({ efforts, reasoning }: OutputFormatSpec): ReasoningEffortName[] {
  const names = (['none', 'low', 'high'] as const).filter((name) => efforts[name] !== undefined);
  return reasoning !== null && !names.includes('none') ? ['none', ...names] : names;
}

/** Why reasoning cannot be made less or more; null: it can. */
export function missingEffort({ efforts, reasoning }: Pick<OutputFormatSpec, 'efforts' | 'reasoning'>): string | null {
  if (efforts.high !== undefined) return null;
  return reasoning === null
    ? 'The model does not reason.'
    : 'The chat template of the model has no control of how much it reasons.';
}

function unknownForm({ history }: OutputFormatSpec): string {
  return history.calls === 'template'
    ? 'The chat template writes calls in a form that is not known.'
    : 'The chat template does not show how the model writes calls.';
}
