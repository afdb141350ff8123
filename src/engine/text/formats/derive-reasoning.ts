import {
  beforeMarker,
  commonPrefix,
  probe,
  probeAnswer,
  probeCalls,
  question,
  type TemplateProbe,
} from './template-probe.ts';

/** How a model marks what it thinks. */
export type ReasoningFormat = {
  open: string;
  close: string;
  /** Reasoning as a template closes it, with the text up to the answer. */
  forcedClose: string;
  /** The field of a message that the template reads; null: it leaves out the reasoning of a history. */
  field: string | null;
  /** Reasoning may come again behind the first piece of an answer. */
  repeats: boolean;
};

export type ReasoningEffortName = 'none' | 'low' | 'high';
/** What to set for an effort; an effort that is missing cannot be chosen. */
export type EffortValues = Partial<Record<ReasoningEffortName, Record<string, unknown>>>;

const think = { open: '<think>', close: '</think>' };
/** Markers that consist of several parts, and those of templates that leave reasoning out. */
const knownMarkers = [
  think,
  { open: '<|channel|>analysis<|message|>', close: '<|end|>' },
  { open: '<|channel>thought', close: '<channel|>' },
  { open: '<|open|>think<|sep|>', close: '<|close|>think<|sep|>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<mm:think>', close: '</mm:think>' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<|inner_prefix|>', close: '<|inner_suffix|>' },
] as const;

const fields = ['reasoning_content', 'reasoning', 'thinking', 'thought'];

export function deriveReasoning(given: TemplateProbe): ReasoningFormat | null {
  for (const field of fields) {
    const found = reasoningIn(given, field);
    if (found !== null) return found;
  }
  const { source } = given;
  const prompts = [{}, { enable_thinking: true }, { thinking: true }].map((values) => promptOf(given, values) ?? '');
  const known = knownMarkers.find(
    ({ open, close }) =>
      prompts.some((prompt) => prompt.trimEnd().endsWith(open)) || (source.includes(open) && source.includes(close)),
  );
  const markers = known ?? (/<\/?think>|\benable_thinking\b/.test(source) ? think : null);
  return markers === null ? null : { ...markers, forcedClose: closedBy(markers.close), field: null, repeats: false };
}

function reasoningIn(given: TemplateProbe, field: string): ReasoningFormat | null {
  const answer = given.render([question, probeAnswer(probe.answer, { [field]: probe.thought })], { tools: true });
  const withCall = { ...probeCalls([{ name: probe.names[0], arguments: {} }]), [field]: probe.thought };
  const text = answer?.includes(probe.thought) ? answer : given.render([question, withCall], { tools: true });
  const at = text?.indexOf(probe.thought) ?? -1;
  if (text === null || at < 0) return null;
  const before = text.slice(0, at).trimEnd();
  const behind = text.slice(at + probe.thought.length);
  const known = knownMarkers.find(({ open, close }) => before.endsWith(open) && behind.trimStart().startsWith(close));
  const open = known?.open ?? /(?:<[^<>\s]+>|\[[^[\]\s]+\])[^<[\]>]{0,20}$/.exec(before)?.[0];
  const close = known?.close ?? /^\s*(<[^<>\s]+>|\[[^[\]\s]+\])/.exec(behind)?.[1];
  if (open === undefined || close === undefined) return null;
  const answerAt = behind.indexOf(probe.answer);
  const forcedClose = answerAt < 0 ? closedBy(close) : behind.slice(0, answerAt);
  return { open, close, forcedClose, field, repeats: false };
}

/** As the models with think tags write it; of others nothing is known but the marker. */
function closedBy(close: string): string {
  return close === think.close ? `\n${close}\n\n` : close;
}

function promptOf(given: TemplateProbe, values: Record<string, unknown>): string | null {
  return given.render([question], { prompt: true, values });
}

/** The variables that switch reasoning, found by what they change of a prompt. */
export function deriveEfforts(given: TemplateProbe, reasoning: ReasoningFormat | null): EffortValues {
  const differ = (one: Record<string, unknown>, other: Record<string, unknown>): boolean => {
    const [first, second] = [promptOf(given, one), promptOf(given, other)];
    return first !== null && second !== null && first !== second;
  };
  const efforts: EffortValues = {};
  const variable = ['enable_thinking', 'thinking'].find((name) => differ({ [name]: false }, { [name]: true }));
  const on = variable === undefined ? {} : { [variable]: true };
  if (variable !== undefined) Object.assign(efforts, { none: { [variable]: false }, low: on, high: on });
  const level = (value: string) => ({ ...on, reasoning_effort: value });
  if (differ(level('low'), level('high'))) {
    Object.assign(efforts, { low: level('low'), high: level('high') });
    const silent = promptOf(given, { reasoning_effort: 'none' });
    if (efforts.none === undefined && reasoning !== null && silent !== null && endsClosed(silent, reasoning))
      efforts.none = { reasoning_effort: 'none' };
  } else if (variable === undefined && differ({ thinking_budget: 0 }, { thinking_budget: -1 })) {
    Object.assign(efforts, { none: { thinking_budget: 0 }, low: { thinking_budget: 512 }, high: {} });
  }
  return efforts;
}

/** The prompt ends with reasoning that is closed already. */
export function endsClosed(prompt: string, { open, close }: Pick<ReasoningFormat, 'open' | 'close'>): boolean {
  const end = prompt.trimEnd();
  return end.endsWith(close) && end.slice(0, -close.length).trimEnd().endsWith(open);
}

export function endsOpen(prompt: string, { open }: Pick<ReasoningFormat, 'open'>): boolean {
  return prompt.trimEnd().endsWith(open);
}

/** The fixed text between a prompt, or the reasoning behind it, and the answer: '' of most models. */
export function deriveAnswerOpening(given: TemplateProbe, reasoning: ReasoningFormat | null): string {
  const answer = given.render([question, probeAnswer(probe.answer)]);
  const prompt = promptOf(given, {});
  if (answer === null || prompt === null) return '';
  const at = answer.lastIndexOf(probe.answer);
  const from = beforeMarker(answer, commonPrefix(answer, prompt));
  if (at < from) return '';
  const text = answer.slice(from, at);
  const behindReasoning = reasoning === null ? -1 : text.lastIndexOf(reasoning.close);
  const opening = behindReasoning < 0 ? text : text.slice(behindReasoning + (reasoning?.close.length ?? 0));
  // Words alone end where their line does.
  return /[>\]]\s*$/.test(opening) ? opening.trim() : opening.trimStart();
}

/**
 * Fixed text behind an answer that would be part of it: with words between its markers, as of models that write a message in parts. Control tokens
 * alone are never shown.
 */
export function deriveAnswerClosings(given: TemplateProbe): string[] {
  const answer = given.render([question, probeAnswer(probe.answer)]) ?? '';
  const behind = answer.slice(answer.lastIndexOf(probe.answer) + probe.answer.length);
  const parts = /^((?:\s*<[^<>]+>[^<>\s]+<[^<>]+>)+)/.exec(behind)?.[1];
  return parts === undefined ? [] : [parts.trim()];
}
