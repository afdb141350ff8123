import { Interpreter, parse, tokenize } from '@huggingface/jinja';
import { lazy } from '#kernel';
import { toolsVariable } from './formats/output-format.ts';
import { probe, probeTools, question, type TemplateProbe } from './formats/template-probe.ts';
import { nativeRenderer } from './native-renderer.ts';
import { TemplateRefusal, templateEnvironment, withStripArguments } from './template-environment.ts';
import { withListFilters } from './template-filters.ts';
import { withPythonTexts } from './template-output.ts';

/** Makes a renderer of a template; it throws where the template does not compile, and its renderer where it cannot render. */
export type NativeRenderer = (source: string) => TemplateRenderer;

type TemplateRenderer = (values: Record<string, unknown>) => string;

export type ChatTemplateOptions = {
  /** `tokenizer.chat_template` of the GGUF. */
  source: string;
  /** Texts of the tokens of type CONTROL. USER_DEFINED ones (`<think>`, `<tool_call>`) do not belong here. */
  controlTokens: readonly string[];
  bosToken: string;
  eosToken: string;
  now: () => Date;
  /** Renders what our own interpreter cannot; left out: the addon is loaded for it. */
  native?: NativeRenderer | undefined;
};

type RendererOptions = Pick<ChatTemplateOptions, 'source' | 'now' | 'native'>;

/**
 * Our interpreter, and the addon's for what ours cannot compile or render: ours writes numbers as they were read, and its date follows `now`.
 * Throws where neither compiles the template.
 */
export function createRenderer(options: RendererOptions): TemplateRenderer {
  const native = lazy(() => withPlainNumbers((options.native ?? nativeRenderer)(withSimpleTests(options.source))));
  const own = compiledOrError(() => interpreted(options));
  if (own instanceof Error) {
    if (compiledOrError(native) instanceof Error) throw own;
    return native();
  }
  return (values) => {
    let failure: unknown;
    try {
      const text = own(values);
      if (!text.includes('[object ') || JSON.stringify(values).includes('[object ')) return text;
      failure = new Error('The template writes an object as text.');
    } catch (error) {
      if (error instanceof TemplateRefusal) throw error;
      failure = error;
    }
    try {
      return native()(values);
    } catch (error) {
      throw error instanceof TemplateRefusal ? error : failure;
    }
  };
}

function compiledOrError(compile: () => TemplateRenderer): TemplateRenderer | Error {
  try {
    return compile();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function interpreted({ source, now }: RendererOptions): TemplateRenderer {
  const parsed = parse(tokenize(withSimpleTests(source), { lstrip_blocks: true, trim_blocks: true }));
  const program = withPythonTexts(withStripArguments(withListFilters(parsed)));
  return (values) => {
    const result = new Interpreter(templateEnvironment(values, now)).run(program);
    // A run of a template yields a string value; anything else is a fault of the library.
    if (typeof result.value !== 'string') throw new Error('The template did not render to text. This is a bug.');
    return result.value;
  };
}

/** Neither interpreter knows this test; for these values it is another one. */
function withSimpleTests(source: string): string {
  return source.replace(/\bis(\s+not)?\s+sameas\s*(?:\(\s*(true|false|none)\s*\)|(true|false|none)\b)/gi, 'is$1 $2$3');
}

const nativeRefusal = /Jinja Exception: ([\s\S]*)$/;

/** The addon knows no numbers that keep their text, and reports refusals of the template as errors of its own. */
function withPlainNumbers(render: TemplateRenderer): TemplateRenderer {
  return (values) => {
    try {
      // Only data: functions and undefined values are left out.
      return render(JSON.parse(JSON.stringify(values)));
    } catch (error) {
      const refusal = nativeRefusal.exec(error instanceof Error ? error.message : '')?.[1];
      throw refusal === undefined ? error : new TemplateRefusal(refusal);
    }
  };
}

type ProbeSource = Pick<ChatTemplateOptions, 'source' | 'bosToken' | 'eosToken'> & {
  hasToken: (text: string) => boolean;
};

/** Variables in which templates look for tools. */
const toolVariables = [
  { name: 'tools', form: 'list' },
  { name: 'xml_tools', form: 'list' },
  { name: 'functions', form: 'json' },
] as const;

/** Renders probes with a template. */
export function templateProbe(options: ProbeSource, render: TemplateRenderer): TemplateProbe {
  const { source, hasToken, bosToken, eosToken } = options;
  const rendered = (values: Record<string, unknown>): string | null => {
    try {
      return render({ bos_token: bosToken, eos_token: eosToken, ...values });
    } catch {
      return null;
    }
  };
  const shows = (variable: (typeof toolVariables)[number]): boolean => {
    const values = {
      messages: [question],
      add_generation_prompt: true,
      ...toolsVariable({ tools: variable }, probeTools),
    };
    return rendered(values)?.includes(probe.names[0]) === true;
  };
  const variable = toolVariables.find(shows) ?? null;
  return {
    source,
    hasToken,
    tools: variable,
    render: (messages, { tools = false, prompt = false, values = {} } = {}) =>
      rendered({
        messages,
        ...(tools ? toolsVariable({ tools: variable }, probeTools) : {}),
        add_generation_prompt: prompt,
        ...values,
      }),
  };
}
