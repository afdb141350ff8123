import { type AgentProgram, chatUrl, keyReference } from './agent-program.ts';

/** Speaks chat completions. It knows its base URL from a file only, which it writes itself. */
export const cline: AgentProgram = {
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
