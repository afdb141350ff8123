import { type AgentProgram, answerTokens, keyReference, messagesUrl } from './agent-program.ts';

/** Speaks the Messages API. It asks for models of several sizes, which are all the same one here. */
export const claude: AgentProgram = {
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
