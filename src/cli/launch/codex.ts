import { type AgentProgram, chatUrl, keyVariable } from './agent-program.ts';

/** Speaks the Responses API. Settings are overridden on the command line, in TOML. */
export const codex: AgentProgram = {
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
