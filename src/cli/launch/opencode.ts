import { type AgentProgram, answerTokens, chatUrl, keyVariable } from './agent-program.ts';

/** Speaks chat completions. A variable adds to its configuration. */
export const opencode: AgentProgram = {
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
