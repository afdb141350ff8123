import { Interpreter, parse, tokenize } from '@huggingface/jinja';
import { fault, messageOf } from '#kernel';
import type { ChatPrompt } from '../port.ts';
import { type ControlTokens, createShield, indexControlTokens, type Segment } from './control-tokens.ts';
import {
  mergeTurns,
  plainTurns,
  type TemplateMessage,
  toolInstructions,
  toTemplateMessages,
  toTemplateTools,
} from './conversation.ts';
import { TemplateRefusal, templateEnvironment, withStripArguments } from './template-environment.ts';

export type { Segment } from './control-tokens.ts';

/** How the model writes a call inside `<tool_call>`: a JSON object, or `<function=..><parameter=..>` (Qwen3-Coder). */
export type ToolSyntax = 'json' | 'xml';

export type ChatTemplate = {
  program: ReturnType<typeof parse>;
  source: string;
  controlTokens: ControlTokens;
  bosToken: string;
  eosToken: string;
  toolSyntax: ToolSyntax;
  now: () => Date;
};

export type ChatTemplateOptions = {
  /** `tokenizer.chat_template` of the GGUF. */
  source: string;
  /** Texts of the tokens of type CONTROL. USER_DEFINED ones (`<think>`, `<tool_call>`) do not belong here. */
  controlTokens: readonly string[];
  bosToken: string;
  eosToken: string;
  now: () => Date;
};

export type RenderedPrompt = {
  text: string;
  segments: Segment[];
  /** The template knows thinking. The model of one that does not writes think tags as text only. */
  reasons: boolean;
  /** The prompt ends inside an open `<think>`: the output begins with reasoning and has only `</think>`. */
  startsInReasoning: boolean;
  /** The prompt ends with an empty think block: the model is not to reason. */
  thinkingDisabled: boolean;
};

const maxPromptChars = 1_048_576;

export function toolSyntaxOf(source: string): ToolSyntax {
  return source.includes('<function=') ? 'xml' : 'json';
}

/** Throws `invalid_request` where the template does not compile: the model cannot chat. */
export function compileChatTemplate(options: ChatTemplateOptions): ChatTemplate {
  try {
    return {
      program: withStripArguments(parse(tokenize(options.source, { lstrip_blocks: true, trim_blocks: true }))),
      source: options.source,
      controlTokens: indexControlTokens(options.controlTokens),
      bosToken: options.bosToken,
      eosToken: options.eosToken,
      toolSyntax: toolSyntaxOf(options.source),
      now: options.now,
    };
  } catch (error) {
    throw templateFault('The chat template of this model cannot be read.', error);
  }
}

/**
 * Renders the conversation up to where the model starts to write. It is rendered as it is first; where the template
 * refuses (many want the system message first and user and assistant in turn), again with neighbouring turns
 * merged, and last as plain user and assistant turns. Throws `invalid_request` (`messages`, or `tools` where the
 * template cannot show tools and no call is forced).
 */
export function renderChat(template: ChatTemplate, prompt: ChatPrompt): RenderedPrompt {
  const { reasoningEffort, toolChoice } = prompt;
  const tools = toolChoice.mode === 'none' ? [] : prompt.tools;
  const isForced = toolChoice.mode === 'required' || toolChoice.mode === 'named';
  // A forced call is written by the grammar. A template without tools need only tell which functions there are.
  const isTold = isForced && tools.length > 0 && !hasTools(template);
  return render(template, {
    messages: isTold ? [toolInstructions(tools), ...prompt.messages] : prompt.messages,
    tools: isTold ? [] : tools,
    values: {
      ...(reasoningEffort === null ? {} : { enable_thinking: reasoningEffort !== 'none' }),
      add_generation_prompt: true,
    },
  });
}

const hasTools = ({ source }: ChatTemplate): boolean => /\btools\b/.test(source);

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
  const values = { enable_thinking: thinking };
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
  const tools = toTemplateTools(given);
  if (tools.length > 0 && !hasTools(template)) {
    throw fault('invalid_request', {
      param: 'tools',
      message:
        "This model's chat template has no tools. Send tool_choice: required (or a named function) to force a call, or use a model with tools.",
    });
  }
  const messages = toTemplateMessages(sent);
  const callerText = JSON.stringify([messages, tools]);
  if (callerText.length > 2 * maxPromptChars) throw tooLong();
  const shield = createShield(template.controlTokens, callerText + template.source);
  const known = {
    ...(tools.length === 0 ? {} : { tools: shield.protect(tools) }),
    bos_token: template.bosToken,
    eos_token: template.eosToken,
    ...values,
  };
  const variants = [(): TemplateMessage[] => messages, () => mergeTurns(messages), () => plainTurns(messages)];
  const rendered = renderFirst(
    variants.map((variant) => () => {
      const environment = templateEnvironment({ ...known, messages: shield.protect(variant()) }, template.now);
      return textOf(new Interpreter(environment).run(template.program));
    }),
  );
  const segments = shield.split(rendered);
  const text = segments.map((segment) => segment.text).join('');
  if (text.length > maxPromptChars) throw tooLong();
  const reasons = /<\/?think>|\benable_thinking\b/.test(template.source);
  // Of other models the last words of a caller may look so.
  const end = reasons ? text.trimEnd() : '';
  return {
    text,
    segments,
    reasons,
    startsInReasoning: end.endsWith('<think>'),
    thinkingDisabled: end.endsWith('</think>') && end.slice(0, -'</think>'.length).trimEnd().endsWith('<think>'),
  };
}

/** A run of a template yields a string value; anything else is a fault of the library. */
function textOf(result: { value: unknown }): string {
  if (typeof result.value !== 'string') throw new Error('The template did not render to text. This is a bug.');
  return result.value;
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
