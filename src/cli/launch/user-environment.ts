/** Where the user is, and what npm has not added: a program that is started is to work in the user's folder, with another npm there. */
export function userEnvironment(environment: NodeJS.ProcessEnv): { env: NodeJS.ProcessEnv; cwd: string | undefined } {
  if (environment['npm_lifecycle_event'] !== 'fanfold') return { env: environment, cwd: undefined };
  const own = Object.entries(environment).filter(([name]) => !/^npm_|^(INIT_CWD|NODE_COMPILE_CACHE)$/.test(name));
  return { env: Object.fromEntries(own), cwd: environment['INIT_CWD'] };
}
