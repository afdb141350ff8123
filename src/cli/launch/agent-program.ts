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

export const chatUrl = ({ url, project }: AgentServer): string => `${url}/api/projects/${project}/openai/v1`;
export const messagesUrl = ({ url, project }: AgentServer): string => `${url}/api/projects/${project}/anthropic`;

/** What an answer may take of a context: enough for a file, and never more than a quarter. */
export const answerTokens = (contextTokens: number): number => Math.min(32_000, Math.floor(contextTokens / 4));
