import { fault, messageOf } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import { type ControlTokens, createShield, indexControlTokens, type Segment } from './control-tokens.ts';
import {
  completedTools,
  mergeTurns,
  plainTurns,
  type TemplateMessage,
  toTemplateMessages,
  toTemplateTools,
  withReasoning,
  withReasoningField,
  withToolInstructions,
} from './conversation.ts';
import { missingEffort } from './formats/capabilities.ts';
import { endsClosed, endsOpen } from './formats/derive-reasoning.ts';
import { bindOutputFormat, detectOutputFormat, type OutputFormat, toolsVariable } from './formats/output-format.ts';
import { TemplateRefusal } from './template-environment.ts';
import { type ChatTemplateOptions, createRenderer, templateProbe } from './template-renderer.ts';

export type { Segment } from './control-tokens.ts';

export type ChatTemplate = {
  render: (values: Record<string, unknown>) => string;
  source: string;
  controlTokens: ControlTokens;
  bosToken: string;
  eosToken: string;
  format: OutputFormat;
};

export type RenderedPrompt = {
  text: string;
  segments: Segment[];
  /** The prompt ends inside reasoning: the output begins with it and has only its closing marker. */
  startsInReasoning: boolean;
  /** The prompt ends with reasoning that is closed: the model is not to reason. */
  thinkingDisabled: boolean;
};

const maxPromptChars = 1_048_576;

/** Throws `invalid_request` where the template does not compile: the model cannot chat. */
export function compileChatTemplate(options: ChatTemplateOptions): ChatTemplate {
  const { source, bosToken, eosToken } = options;
  try {
    const render = createRenderer(options);
    const control = new Set(options.controlTokens);
    const hasToken = (text: string): boolean => control.has(text);
    const spec = detectOutputFormat(templateProbe({ source, bosToken, eosToken, hasToken }, render));
    return {
      render,
      source,
      controlTokens: indexControlTokens(options.controlTokens),
      bosToken,
      eosToken,
      format: bindOutputFormat(spec),
    };
  } catch (error) {
    throw templateFault('The chat template of this model cannot be read.', error);
  }
}

/**
 * Renders the conversation up to where the model starts to write. It is rendered as it is first; where the template
 * refuses (many want the system message first and user and assistant in turn), again with reasoning in every answer, with neighbouring turns
 * merged, and last as plain user and assistant turns. Throws `invalid_request` (`messages`, or `tools` where the
 * template cannot show tools and no call is forced).
 */
export function renderChat(template: ChatTemplate, prompt: ChatPrompt): RenderedPrompt {
  const { toolChoice, addsGenerationPrompt = true } = prompt;
  const tools = toolChoice.mode === 'none' ? [] : prompt.tools;
  const isForced = toolChoice.mode === 'required' || toolChoice.mode === 'named';
  // A forced call is written by the grammar. A template without tools need only tell which functions there are.
  const isTold = isForced && tools.length > 0 && !hasTools(template);
  return render(template, {
    messages: isTold ? withToolInstructions(prompt.messages, tools, template.format) : prompt.messages,
    tools: isTold ? [] : tools,
    values: {
      ...effortValues(template, prompt),
      add_generation_prompt: addsGenerationPrompt,
    },
  });
}

/** Variables of the template. `none` needs no switch: reasoning that begins all the same is closed. */
function effortValues(
  { format }: ChatTemplate,
  { reasoningEffort, effortIsHint }: ChatPrompt,
): Record<string, unknown> {
  if (reasoningEffort === null) return {};
  const reason = missingEffort(format);
  if (reason !== null && reasoningEffort !== 'none' && effortIsHint !== true) {
    const message = `This model cannot follow reasoning_effort ${JSON.stringify(reasoningEffort)}. ${reason} Leave it out, or send "none".`;
    throw fault('invalid_request', { param: 'reasoning_effort', message });
  }
  return format.efforts[reasoningEffort] ?? {};
}

const hasTools = ({ format }: ChatTemplate): boolean => format.tools !== null;

/** A conversation that is over: nothing follows its last message. */
export type Conversation = Pick<ChatPrompt, 'messages' | 'tools'>;

/** Renders a whole conversation, as a model learns it. Throws as `renderChat` does. */
export function renderConversation(template: ChatTemplate, conversation: Conversation): RenderedPrompt {
  return render(template, { ...conversation, values: { add_generation_prompt: false } });
}

/** A turn to learn: `messages` up to it, and whether the model is to reason in it. */
export type Turn = Conversation & { thinking: boolean };

/** Renders what stands before a turn, as `renderChat` does for the same request, and what stands behind it. */
export function renderTurn(template: ChatTemplate, { messages, tools, thinking }: Turn) {
  // A level of effort is the caller's: what is learnt is reasoning as it is where nothing is asked for.
  const { reasoning_effort: _, ...values } = template.format.efforts[thinking ? 'high' : 'none'] ?? {};
  return {
    before: render(template, {
      messages: messages.slice(0, -1),
      tools,
      values: { ...values, add_generation_prompt: true },
    }),
    behind: render(template, { messages, tools, values: { ...values, add_generation_prompt: false } }),
  };
}

function render(
  template: ChatTemplate,
  { messages: sent, tools: given, values }: Conversation & { values: Record<string, unknown> },
): RenderedPrompt {
  if (given.length > 0 && !hasTools(template) && template.format.knowsCalls)
    return render(template, { messages: withToolInstructions(sent, given, template.format), tools: [], values });
  const tools = toTemplateTools(given);
  if (tools.length > 0 && !hasTools(template)) {
    throw fault('invalid_request', {
      param: 'tools',
      message:
        "This model's chat template has no tools. Send tool_choice: required (or a named function) to force a call, or use a model with tools.",
    });
  }
  const messages = toTemplateMessages(sent, template.format);
  const callerText = JSON.stringify([messages, tools]);
  if (callerText.length > 2 * maxPromptChars) throw tooLong();
  const shield = createShield(template.controlTokens, callerText + template.source);
  const { format } = template;
  const known = { bos_token: template.bosToken, eos_token: template.eosToken, ...values };
  const field = format.reasoning?.field ?? 'reasoning_content';
  const attempt = (variant: () => TemplateMessage[], shown: readonly unknown[]) => () =>
    template.render({
      ...known,
      ...(shown.length === 0 ? {} : toolsVariable(format, shield.protect(shown))),
      messages: shield.protect(withReasoningField(variant(), field)),
    });
  const variants = [
    () => messages,
    () => withReasoning(messages),
    () => mergeTurns(messages),
    () => plainTurns(messages, format),
  ];
  const rendered = renderFirst([
    ...variants.map((variant) => attempt(variant, tools)),
    // Some templates need what schemas may leave out.
    ...(tools.length === 0 ? [] : variants.map((variant) => attempt(variant, completedTools(tools)))),
  ]);
  const segments = shield.split(rendered);
  const text = segments.map((segment) => segment.text).join('');
  if (text.length > maxPromptChars) throw tooLong();
  const { reasoning } = format;
  return {
    text,
    segments,
    startsInReasoning: reasoning !== null && endsOpen(text, reasoning),
    thinkingDisabled: reasoning !== null && endsClosed(text, reasoning),
  };
}

/** The first attempt that succeeds; else a fault that tells what the first one met. */
function renderFirst(attempts: readonly (() => string)[]): string {
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      return attempt();
    } catch (error) {
      errors.push(error);
    }
  }
  const refusal = errors.find((error) => error instanceof TemplateRefusal);
  const why = refusal === undefined ? '' : ` It says: ${refusal.message.slice(0, 300)}`;
  throw templateFault(`The chat template of this model cannot render these messages.${why}`, errors[0]);
}

function templateFault(message: string, cause: unknown): Error {
  const internal = messageOf(cause);
  return fault('invalid_request', { param: 'messages', message, internal, cause });
}

function tooLong(): Error {
  const message = `The messages are longer than ${maxPromptChars} characters; this exceeds the maximum context length.`;
  return fault('invalid_request', { param: 'messages', message });
}
