import { fault } from '#kernel';
import type { DetokenizeInput, TokenizeInput } from '../port.ts';
import type { EngineDialect, TokenizeRequest } from './dialect.ts';
import { promptFields } from './remote-chat.ts';
import type { RouteRuntime } from './route-runtime.ts';
import type { RemoteContext } from './route-set.ts';

/** Tokens of a text or a conversation, from an engine that has the model. */
export async function tokenizeRemotely(
  context: RemoteContext,
  { baseModelId, scope, input }: TokenizeInput,
  signal: AbortSignal,
): Promise<number[]> {
  return atAnyRoute(context, { baseModelId, scope }, async ({ dialect, ...runtime }) => {
    const tokens = tokensOf(dialect, runtime.route.id);
    const request = requestOf(runtime, signal);
    const found =
      'prompt' in input
        ? await tokens.ofChat({ ...request, fields: promptFields(dialect, input.prompt), prompt: input.prompt })
        : await tokens.ofText({ ...request, ...input });
    return found ?? throwUnknown(runtime.route.id);
  });
}

export async function detokenizeRemotely(
  context: RemoteContext,
  { baseModelId, scope, tokens }: DetokenizeInput,
  signal: AbortSignal,
): Promise<string> {
  return atAnyRoute(context, { baseModelId, scope }, async ({ dialect, ...runtime }) => {
    const { textOf } = tokensOf(dialect, runtime.route.id);
    return (await textOf({ ...requestOf(runtime, signal), tokens })) ?? throwUnknown(runtime.route.id);
  });
}

type Route = Pick<RouteRuntime, 'dialect' | 'upstream' | 'route'>;

async function atAnyRoute<Result>(
  { routes }: RemoteContext,
  { baseModelId, scope }: { baseModelId: string; scope: string },
  work: (route: Route) => Promise<Result>,
): Promise<Result> {
  const call = { baseModelId, adapter: null, prefix: '', tokens: 0, scope };
  const { result } = await routes.prepareAtAny(call, ({ dialect, upstream, route }) =>
    work({ dialect, upstream, route }),
  );
  return result;
}

const requestOf = ({ upstream, route }: Omit<Route, 'dialect'>, signal: AbortSignal): TokenizeRequest => ({
  upstream,
  model: route.upstreamModel,
  signal,
});

function tokensOf({ tokens }: EngineDialect, routeId: string): NonNullable<EngineDialect['tokens']> {
  if (tokens !== null) return tokens;
  throw fault('invalid_request', {
    param: 'model',
    message:
      'model: the engine that serves this model has no route for tokens; it can be asked where the model is installed here, or served by vLLM, SGLang, llama.cpp or TEI.',
    internal: `The route ${routeId} cannot tokenise.`,
  });
}

function throwUnknown(routeId: string): never {
  throw fault('generation_failed', {
    message: 'The engine that serves this model did not answer with tokens.',
    internal: `The route ${routeId} answered a request for tokens in another form.`,
  });
}
