import { randomInt } from 'node:crypto';
import { assertNever, Fault } from '#kernel';
import { OutputParser } from '../text/output-parser.ts';
import { openModel } from './binding.ts';
import { EmbeddingRunner } from './embedding-runner.ts';
import { Generation } from './generation.ts';
import { PreparedStore } from './prepared.ts';
import {
  createPromptMaker,
  type PreparedChat,
  type PreparedInputs,
  type PromptMaker,
  reasoningBudget,
  reasoningTags,
} from './prompts.ts';
import type { ChildConfig, FromChild, ToChild } from './protocol.ts';
import { createSampler, samplerConfig } from './sampler.ts';
import { TextRunner } from './text-runner.ts';
import { Turn } from './turn.ts';
import { createVocabulary } from './vocabulary.ts';

export type ChildEngineOptions = {
  config: ChildConfig;
  send: (message: FromChild) => void;
  nativeWorkIsOrdered: boolean;
  /** An error that no request can be blamed for: the process must end. */
  failed: (error: unknown) => void;
};

/** One loaded model and its requests: what `child.ts` does with each message. */
export type ChildEngine = {
  dimensions: number;
  systemInfo: string;
  receive: (message: Exclude<ToChild, { type: 'load' } | { type: 'stop' }>) => void;
  close: () => Promise<void>;
};

type Request<Type extends ToChild['type']> = Extract<ToChild, { type: Type }>;
type Runner = { hasWork: boolean; cancel: (id: number) => void; run: (mayGoOn: () => boolean) => Promise<void> };

const keepPreparedMs = 60_000;
const seedRange = 2 ** 32 - 1;

export async function openChildEngine(options: ChildEngineOptions): Promise<ChildEngine> {
  const { config, send, failed } = options;
  const model = await openModel({ path: config.ggufPath, gpu: config.gpu ?? false, maxThreads: config.threads });
  const vocabulary = createVocabulary(model);
  const prompts = createPromptMaker(model, vocabulary, () => new Date());
  const now = () => performance.now();
  const chats = new PreparedStore<PreparedChat>(keepPreparedMs);
  const inputs = new PreparedStore<PreparedInputs>(keepPreparedMs);
  const tags = reasoningTags(vocabulary);

  const refuse = (id: number, message: string) =>
    send({ type: 'failed', id, fault: 'invalid_request', message, param: null, retryAfterSeconds: null });

  const generate = (runner: TextRunner, { id, handle, sampling, cacheScope }: Request<'generate'>) => {
    const prepared = chats.take(handle);
    if (prepared === null) return refuse(id, 'This prompt was forgotten, because it waited too long.');
    const { facts, adapter } = prepared;
    if (facts.tokens.length >= config.maxContextTokens) return refuse(id, 'The prompt exceeds the context length.');
    const generation = new Generation({
      id,
      prompt: facts,
      sampling,
      reasoningBudget: reasoningBudget(prepared.reasoningEffort, sampling.maxTokens),
      contextTokens: config.maxContextTokens,
      sampler: createSampler(model, samplerConfig(sampling, randomInt(seedRange))),
      parser: new OutputParser({ ...prepared, startsInReasoning: facts.startsInReasoning, stop: sampling.stop }),
      textMayEnd: sampling.stop.length > 0 || (prepared.tools.length > 0 && !prepared.parallelToolCalls),
      vocabulary,
      tags,
    });
    runner.generate(generation, { adapter, scope: cacheScope, maxTokens: sampling.maxTokens });
  };
  const embed = (runner: EmbeddingRunner, { id, handle }: Request<'embed'>) => {
    const prepared = inputs.take(handle);
    if (prepared === null) return refuse(id, 'These inputs were forgotten, because they waited too long.');
    if (prepared.inputs.some((tokens) => tokens.length > config.maxContextTokens)) {
      return refuse(id, 'An input exceeds the context length.');
    }
    runner.embed(id, prepared.inputs, prepared.adapter);
  };

  const runner: TextRunner | EmbeddingRunner =
    config.kind === 'text'
      ? new TextRunner({ model, config, send, now, nativeWorkIsOrdered: options.nativeWorkIsOrdered })
      : new EmbeddingRunner({ model, config, send, now });
  await runner.open();
  const turn = turnOf(runner, { send, failed });

  return {
    dimensions: config.kind === 'embedding' ? model.addon.getEmbeddingVectorSize() : 0,
    systemInfo: model.systemInfo,
    close: async () => {
      await turn.end();
      await runner.close();
      await model.dispose();
    },
    receive: (message) => {
      switch (message.type) {
        case 'prepare_chat':
          return answer(message.id, send, () => prepareChat(message, { prompts, chats }));
        case 'prepare_embedding':
          return answer(message.id, send, () => prepareEmbedding(message, { prompts, inputs }));
        case 'generate':
          return runner instanceof TextRunner ? generate(runner, message) : refuse(message.id, 'This model embeds.');
        case 'embed':
          return runner instanceof EmbeddingRunner ? embed(runner, message) : refuse(message.id, 'This model writes.');
        case 'cancel':
          return runner.cancel(message.id);
        case 'release':
          chats.drop(message.handle);
          return inputs.drop(message.handle);
        case 'grant':
          return turn.grant();
        case 'yield':
          return turn.yield();
        default:
          return assertNever(message);
      }
    },
  };
}

function turnOf(runner: Runner, { send, failed }: Pick<ChildEngineOptions, 'send' | 'failed'>): Turn {
  return new Turn({
    leaseBack: () => send({ type: 'lease_back' }),
    hasWork: () => runner.hasWork,
    run: (mayGoOn) => runner.run(mayGoOn),
    failed,
  });
}

function prepareChat(
  { id, handle, prompt }: Request<'prepare_chat'>,
  { prompts, chats }: { prompts: PromptMaker; chats: PreparedStore<PreparedChat> },
): FromChild {
  const prepared = prompts.chat(prompt);
  chats.put(handle, prepared);
  return { type: 'prepared', id, promptTokens: prepared.facts.tokens.length, inputs: [] };
}

function prepareEmbedding(
  message: Request<'prepare_embedding'>,
  { prompts, inputs }: { prompts: PromptMaker; inputs: PreparedStore<PreparedInputs> },
): FromChild {
  const { prepared, report } = prompts.inputs(message);
  inputs.put(message.handle, prepared);
  const promptTokens = report.reduce((sum, input) => sum + input.tokens, 0);
  return { type: 'prepared', id: message.id, promptTokens, inputs: report };
}

/** Sends the reply, or what went wrong with it. */
function answer(id: number, send: (message: FromChild) => void, work: () => FromChild): void {
  let reply: FromChild;
  try {
    reply = work();
  } catch (error) {
    const isCallers = error instanceof Fault && error.fault === 'invalid_request';
    reply = {
      type: 'failed',
      id,
      fault: isCallers ? 'invalid_request' : 'generation_failed',
      message: error instanceof Error ? error.message : String(error),
      param: error instanceof Fault ? (error.options.param ?? null) : null,
      retryAfterSeconds: null,
    };
  }
  send(reply);
}
