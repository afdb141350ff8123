import { type AgentProgram, answerTokens, chatUrl, keyReference } from './agent-program.ts';

export const qwen: AgentProgram = {
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
