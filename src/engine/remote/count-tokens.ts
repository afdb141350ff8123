import type { ChatPrompt } from '../port.ts';
import type { Countable, TokenCount } from '../tokens/counter-protocol.ts';
import { messageToWire, toolChoiceToWire } from '../wire-prompt.ts';
import { reasoningOf, toolsOf } from './chat-request.ts';
import { countOf } from './chunk-fields.ts';
import { discard, readText } from './connection-pool.ts';
import type { ServingRoute } from './serving-route.ts';
import type { Upstream } from './upstream.ts';

/** Counts with the model's own file, where that is installed here; null: it is not. */
export type LocalCounter = (
  baseModelId: string,
  items: readonly Countable[],
  signal: AbortSignal,
) => Promise<TokenCount[] | null>;
/** The same for a prompt, which need not be read further than `most` tokens; null also where it cannot be read here. */
export type LocalPromptCounter = (prompt: ChatPrompt, most: number, signal: AbortSignal) => Promise<number | null>;

/** vLLM's route, which SGLang took over (0.5.17 has it); one that knows texts only refuses a conversation. */
const hasOpenAiTokenise = (api: ServingRoute['api']) => api === 'vllm' || api === 'sglang';

type Asking = { route: ServingRoute; upstream: Upstream; signal: AbortSignal };
type Asked<Local> = Asking & { local: Local };

/**
 * Tokens of a prompt as the engine will see it: by its own tokenise route, or else by the same model's file. null: neither is
 * there, and the engine checks the length itself.
 */
export async function countPrompt(prompt: ChatPrompt, asked: Asked<LocalPromptCounter>): Promise<number | null> {
  const { route, local, signal } = asked;
  return (await askForPrompt(prompt, asked)) ?? (await local(prompt, route.maxContextTokens, signal));
}

async function askForPrompt(prompt: ChatPrompt, { route, upstream, signal }: Asking): Promise<number | null> {
  const messages = prompt.messages.map(messageToWire);
  const tools = prompt.tools.length === 0 ? {} : { tools: toolsOf(route.api, prompt) };
  const template = reasoningOf(route.api, prompt.reasoningEffort);
  if (hasOpenAiTokenise(route.api)) {
    const body = { model: route.upstreamModel, messages, ...tools, ...wayOf(route.api, prompt), ...template };
    return countIn(await ask(upstream, '//tokenize', body, signal));
  }
  if (route.api === 'llama-server') {
    const rendered = await ask(upstream, '//apply-template', { messages, ...tools, ...template }, signal);
    const text = rendered?.prompt;
    if (typeof text !== 'string') return null;
    return countIn(
      await ask(upstream, '//tokenize', { content: text, add_special: true, parse_special: true }, signal),
    );
  }
  return null;
}

/** SGLang reads a conversation as it would run it, unless it is told how; which tools it is told of depends on the choice. */
function wayOf(api: ServingRoute['api'], { tools, toolChoice }: ChatPrompt): Record<string, unknown> {
  if (api === 'vllm') return { add_generation_prompt: true };
  return tools.length === 0 ? {} : { tool_choice: toolChoiceToWire(toolChoice) };
}

/** Tokens of each text, end token included; null where nobody knows. */
export async function countTexts(texts: readonly string[], asked: Asked<LocalCounter>): Promise<number[] | null> {
  const { route, local, signal } = asked;
  const counts = await askForTexts(texts, asked);
  if (counts) return counts;
  const here = await local(
    route.baseModelId,
    texts.map((text): Countable => ({ type: 'inputs', texts: [text] })),
    signal,
  );
  return here?.map(({ tokens }) => tokens) ?? null;
}

/** Questions that are asked at a time: a list of inputs must not take a round trip for each. */
const questionsAtOnce = 8;
/** What TEI takes in a request unless it was told otherwise; the others take one text. */
const mostTexts: Partial<Record<ServingRoute['api'], number>> = { tei: 32, vllm: 1, sglang: 1, 'llama-server': 1 };

async function askForTexts(texts: readonly string[], asked: Asking): Promise<number[] | null> {
  const most = mostTexts[asked.route.api];
  if (!most) return null;
  const counts: number[] = [];
  let next = 0;
  let isKnown = true;
  const askOn = async (questions: number) => {
    for (let asking = 0; asking < questions && isKnown && next < texts.length; asking += 1) {
      const at = next;
      next += most;
      const batch = texts.slice(at, next);
      const found = await askForBatch(batch, asked).catch((error: unknown) => {
        isKnown = false;
        throw error;
      });
      isKnown &&= found?.length === batch.length;
      found?.forEach((count, n) => {
        counts[at + n] = count;
      });
    }
  };
  // The first tells whether there is such a route.
  await askOn(1);
  await Promise.all(Array.from({ length: questionsAtOnce }, () => askOn(Number.POSITIVE_INFINITY)));
  return isKnown ? counts : null;
}

async function askForBatch(texts: readonly string[], { route, upstream, signal }: Asking): Promise<number[] | null> {
  if (route.api === 'tei') {
    const answer = await askAny(upstream, '//tokenize', { inputs: texts, add_special_tokens: true }, signal);
    return Array.isArray(answer) ? answer.map((tokens: unknown) => (Array.isArray(tokens) ? tokens.length : 0)) : null;
  }
  const [text = ''] = texts;
  const count = countIn(
    await ask(
      upstream,
      '//tokenize',
      hasOpenAiTokenise(route.api)
        ? { model: route.upstreamModel, prompt: text }
        : { content: text, add_special: true },
      signal,
    ),
  );
  return count === null ? null : [count];
}

function countIn(answer: Record<string, unknown> | null): number | null {
  const count = countOf(answer?.count);
  if (count !== null) return count;
  return Array.isArray(answer?.tokens) ? answer.tokens.length : null;
}

async function ask(upstream: Upstream, path: string, body: object, signal: AbortSignal) {
  const answer = await askAny(upstream, path, body, signal);
  // as: what is no object has none of the fields.
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : null;
}

/** null where the engine has no such route. */
async function askAny(upstream: Upstream, path: string, body: object, signal: AbortSignal): Promise<unknown> {
  const { status, body: answer } = await upstream.post(path, body, signal);
  if (status === 200) return jsonOf(await readText(answer));
  discard(answer);
  return null;
}

/** null for a page of somebody between. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
