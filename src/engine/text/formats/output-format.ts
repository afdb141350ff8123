import type { CallFormat, CallFormatSpec } from './call-format.ts';
import {
  deriveAnswerClosings,
  deriveAnswerOpening,
  deriveEfforts,
  deriveReasoning,
  type EffortValues,
  type ReasoningFormat,
} from './derive-reasoning.ts';
import { bindCalls, detectCalls, hermesCalls } from './registry.ts';
import { type ProbeCall, probe, probeCalls, question, type TemplateProbe } from './template-probe.ts';

/** How a model writes its output, and how its template writes histories: plain data, which other processes get, too. */
export type OutputFormatSpec = {
  calls: CallFormatSpec;
  /** The template shows how calls are written, or describes it; else the model is taken for one that follows Hermes. */
  knowsCalls: boolean;
  /** The variable that the template reads tools from, as a list or as JSON text; null: it shows none. */
  tools: { name: string; form: 'list' | 'json' } | null;
  reasoning: ReasoningFormat | null;
  efforts: EffortValues;
  /** Fixed text in front of an answer, which is no part of it; '' of most models. */
  answerOpening: string;
  /** Other fixed texts that are no part of an answer, wherever they stand. */
  headers: string[];
  history: HistoryForm;
};

export type HistoryForm = {
  /** How calls of a history are rendered: by the template, or as text of the message. */
  calls: 'template' | 'text';
  /** Arguments as JSON text: the template puts them into its own text as they are. */
  argumentsAsText: boolean;
  /** The template takes ids of nine letters and digits only. */
  shortIds: boolean;
  /** The template writes the id of a call in place of its name. */
  namedIds: boolean;
};

export type OutputFormat = Omit<OutputFormatSpec, 'calls'> & { calls: CallFormat; spec: OutputFormatSpec };

/** Of models without a template of their own, and of remote engines: think tags, and calls as Hermes models write them. */
export const standardFormat: OutputFormatSpec = {
  calls: hermesCalls,
  knowsCalls: true,
  tools: null,
  reasoning: {
    open: '<think>',
    close: '</think>',
    forcedClose: '\n</think>\n\n',
    field: 'reasoning_content',
    repeats: false,
  },
  efforts: {},
  answerOpening: '',
  headers: [],
  history: { calls: 'text', argumentsAsText: false, shortIds: false, namedIds: false },
};

/** All that is written is the answer, as it is. */
export const plainFormat: OutputFormatSpec = { ...standardFormat, reasoning: null };

/** Tries a template out with a few conversations. */
export function detectOutputFormat(given: TemplateProbe): OutputFormatSpec {
  const { template, history } = readableHistory(given);
  const calls = detectCalls(template);
  const own = calls === null ? null : bindCalls(calls);
  const derived = deriveReasoning(template);
  const reasoning = derived === null ? null : { ...derived, ...own?.reasoning };
  const opening = own?.answerOpening ?? deriveAnswerOpening(template, reasoning);
  const isMarked = /[<[]/.test(opening) || own?.startsAnswer === true;
  return {
    calls: calls ?? hermesCalls,
    knowsCalls: calls !== null,
    tools: given.tools,
    reasoning,
    efforts: deriveEfforts(template, reasoning),
    answerOpening: isMarked ? opening : '',
    headers: own?.headers ?? deriveAnswerClosings(template),
    history: { ...history, calls: given.source.includes('tool_calls') ? 'template' : 'text' },
  };
}

/** Templates differ in what they take in a history; the first form is used that renders a call. */
function readableHistory(given: TemplateProbe) {
  const call = probeCalls([{ name: probe.names[0], arguments: { [probe.keys[0]]: probe.values[0] } }]);
  const rendered = (from: TemplateProbe, message = call): string | null => {
    const text = from.render([question, message], { tools: true });
    // An object that is put into text as Python writes it was meant to be text.
    return text?.includes(probe.values[0]) === true && !text.includes(`{'${probe.keys[0]}'`) ? text : null;
  };
  const longId = withIds(call, () => 'call_0123456789abcdef0123');
  const shortIds = rendered(given, longId) === null && rendered(given) !== null;
  const asText = withTextArguments(given);
  const argumentsAsText = rendered(given) === null && rendered(asText) !== null;
  const readable = argumentsAsText ? asText : given;
  const text = rendered(readable);
  const namedIds = text !== null && !text.slice(text.indexOf(probe.question)).includes(probe.names[0]);
  return {
    template: namedIds ? withNamedIds(readable) : readable,
    history: { argumentsAsText, shortIds, namedIds },
  };
}

/** The form in which models write ids that hold names. */
export const namedId = (name: string, index: number): string => `functions.${name}:${index}`;

function withNamedIds(given: TemplateProbe): TemplateProbe {
  return withCalls(given, (call, at) => ({ ...call, id: namedId(call.function.name, at) }));
}

function withIds(message: ReturnType<typeof probeCalls>, id: () => string) {
  return { ...message, tool_calls: (message.tool_calls ?? []).map((call) => ({ ...call, id: id() })) };
}

function withTextArguments(given: TemplateProbe): TemplateProbe {
  return withCalls(given, ({ function: { name, arguments: values }, ...call }) => ({
    ...call,
    function: { name, arguments: JSON.stringify(values) },
  }));
}

function withCalls(given: TemplateProbe, change: (call: ProbeCall, at: number) => ProbeCall): TemplateProbe {
  return {
    ...given,
    render: (messages, options) =>
      given.render(
        messages.map((message) =>
          message.tool_calls === undefined ? message : { ...message, tool_calls: message.tool_calls.map(change) },
        ),
        options,
      ),
  };
}

/** Tools as the template reads them. */
export function toolsVariable({ tools }: Pick<OutputFormatSpec, 'tools'>, shown: unknown): Record<string, unknown> {
  if (tools === null) return {};
  return { [tools.name]: tools.form === 'list' ? shown : JSON.stringify(shown, null, 4) };
}

const bound = new WeakMap<OutputFormatSpec, OutputFormat>();

export function bindOutputFormat(spec: OutputFormatSpec): OutputFormat {
  const known = bound.get(spec);
  if (known !== undefined) return known;
  const format = { ...spec, calls: bindCalls(spec.calls), spec };
  bound.set(spec, format);
  return format;
}

/** Fixed texts in which control tokens may occur that the parser must see. */
export function markersOf({ calls, reasoning, answerOpening, headers }: OutputFormat): string[] {
  return [
    ...calls.markers,
    answerOpening,
    ...headers,
    ...(reasoning === null ? [] : [reasoning.open, reasoning.close]),
  ];
}
