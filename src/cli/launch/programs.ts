/** Speaks the Responses API. Settings are overridden on the command line, in TOML. */
const codex: AgentProgram = {
  name: 'codex',
  title: 'Codex',
  command: 'codex',
  npmPackage: '@openai/codex',
  settings(serving) {
    const { model, contextTokens } = serving;
    const text = (value: string) => JSON.stringify(value);
    const provider = `{ name = "Fanfold", base_url = ${text(chatUrl(serving))}, env_key = "${keyVariable}", wire_api = "responses" }`;
    const overrides = [
      'model_provider="fanfold"',
      `model_providers.fanfold=${provider}`,
      `model=${text(model)}`,
      ...(contextTokens === null ? [] : [`model_context_window=${contextTokens}`]),
    ];
    return { env: {}, args: overrides.flatMap((override) => ['-c', override]) };
  },
};

/** Speaks the Messages API. It asks for models of several sizes, which are all the same one here. */
const claude: AgentProgram = {
  name: 'claude',
  title: 'Claude Code',
  command: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  settings(serving) {
    const { model, contextTokens } = serving;
    const context =
      contextTokens === null
        ? {}
        : {
            CLAUDE_CODE_MAX_CONTEXT_TOKENS: `${contextTokens}`,
            CLAUDE_CODE_MAX_OUTPUT_TOKENS: `${answerTokens(contextTokens)}`,
          };
    const env = {
      ANTHROPIC_BASE_URL: messagesUrl(serving),
      ANTHROPIC_AUTH_TOKEN: keyReference,
      // A key of Anthropic's would be sent as well.
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_SUBAGENT_MODEL: model,
      ...context,
      // Otherwise each call begins with other words, and no prompt is found in the cache.
      CLAUDE_CODE_ATTRIBUTION_HEADER: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    return { env, args: [] };
  },
};

/** Speaks chat completions. A variable adds to its configuration. */
const opencode: AgentProgram = {
  name: 'opencode',
  title: 'opencode',
  command: 'opencode',
  npmPackage: 'opencode-ai',
  settings(serving) {
    const { model, contextTokens } = serving;
    const limit =
      contextTokens === null ? {} : { limit: { context: contextTokens, output: answerTokens(contextTokens) } };
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Fanfold',
      options: { baseURL: chatUrl(serving), apiKey: `{env:${keyVariable}}` },
      models: { [model]: { name: model, ...limit } },
    };
    const config = { model: `fanfold/${model}`, small_model: `fanfold/${model}`, provider: { fanfold: provider } };
    return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, args: [] };
  },
};

const qwen: AgentProgram = {
  name: 'qwen',
  title: 'Qwen Code',
  command: 'qwen',
  npmPackage: '@qwen-code/qwen-code',
  settings(serving) {
    const { model, contextTokens } = serving;
    const output = contextTokens === null ? {} : { QWEN_CODE_MAX_OUTPUT_TOKENS: `${answerTokens(contextTokens)}` };
    return {
      env: { OPENAI_BASE_URL: chatUrl(serving), OPENAI_API_KEY: keyReference, OPENAI_MODEL: model, ...output },
      args: ['--auth-type', 'openai', '--model', model],
    };
  },
};

/** Speaks chat completions. It knows its base URL from a file only, which it writes itself. */
const cline: AgentProgram = {
  name: 'cline',
  title: 'Cline',
  command: 'cline',
  npmPackage: 'cline',
  settings: (serving) => ({
    env: {},
    args: ['--provider', 'openai-compatible', '--model', serving.model],
    first: {
      args: ['auth', 'openai', '--apikey', keyReference, '--baseurl', chatUrl(serving), '--modelid', serving.model],
      writes: '~/.cline/data/settings/providers.json',
    },
  }),
};

export const agentPrograms: readonly AgentProgram[] = [codex, claude, opencode, qwen, cline];

/** What a program is to talk to. */
export type AgentServer = {
  url: string;
  project: string;
  model: string;
  contextTokens: number | null;
};

/** Stands in settings for the key, which is not in them itself: programs read this variable. */
export const keyVariable = 'FANFOLD_API_KEY';
export const keyReference = `$${keyVariable}`;

/** What makes a program use the installation. */
export type LaunchSettings = {
  /** Variables of the environment; the value `keyReference` is the key. An empty one hides what the user may have set. */
  env: Record<string, string>;
  args: string[];
  /** A command that has to run once before, because the program keeps this in a file of its own, and which file. */
  first?: { args: string[]; writes: string };
};

/** A program that works with models by itself. */
export type AgentProgram = {
  name: string;
  title: string;
  command: string;
  npmPackage: string;
  settings: (serving: AgentServer) => LaunchSettings;
};

const chatUrl = ({ url, project }: AgentServer): string => `${url}/api/projects/${project}/openai/v1`;
const messagesUrl = ({ url, project }: AgentServer): string => `${url}/api/projects/${project}/anthropic`;

/** What an answer may take of a context: enough for a file, and never more than a quarter. */
const answerTokens = (contextTokens: number): number => Math.min(32_000, Math.floor(contextTokens / 4));
