import { parseExactJson } from '#kernel';
import type { GpuTarget } from '../gpu/backends.ts';
import type { ChatPrompt, Delta, EngineModelKind, KvType, Sampling, Usage } from '../port.ts';
import type { OutputFormatSpec } from '../text/formats/output-format.ts';
import type { GrammarTexts } from '../text/grammar.ts';
import type { EmbeddingTexts } from './embedding-texts.ts';
import type { ReadChat, ReadInputs } from './prompts.ts';

/**
 * Messages between the server and one engine child (`child.ts`), over the fork's IPC channel with advanced
 * serialisation. `id` numbers a request of the parent; every `prepare*`, `generate` and `embed` gets exactly one
 * terminal reply with its id: `prepared`, `finished`, `embedded` or `failed`.
 *
 * Start: the parent forks `child.ts` without arguments and sends `load` first. The child answers `ready`, or
 * `load_failed` and exits. Requests are sent only after `ready`.
 * Cancel: a cancelled `generate` or `embed` ends with `finished`, reason `cancelled`, within one step. A cancel for
 * an id that already had its terminal reply is ignored.
 * Thread lease: the child runs steps only while it holds the lease, and it never asks: the parent knows from its own records
 * who has work. `grant` gives the lease; while nobody else holds it, it is sent right behind a `generate` or `embed`.
 * Every grant ends with exactly one `lease_back`: as soon as the child has no work left (at once, if it finds none), or after
 * `yield`, at the end of the step that runs, whether work is left or not. A `yield` that finds the child without the
 * lease has crossed a `lease_back` and is ignored. Terminal replies of finished requests are sent before `lease_back`.
 * Preparing and loading need no lease.
 * Life signs: `throughput` is sent about once a second while steps run, also when no delta leaves; a child that holds the lease
 * and stays silent for long is taken for hung and killed.
 * Signals: the child ignores SIGINT and SIGTERM, which a terminal or a service manager sends to the whole group; the
 * server drains first and then says `stop`.
 * End: on `stop`, and when the channel disconnects (the parent died), the child frees the model and exits with 0.
 */
export type ChildConfig = {
  modelId: string;
  kind: EngineModelKind;
  ggufPath: string;
  maxContextTokens: number;
  /** Sequences of the context: how many requests run at once. */
  sequences: number;
  /** Contexts for adapters, beside the base's, at most; made when they are needed. 0: there is no memory for any. */
  adapterContexts: number;
  batchTokens: number;
  /** Prompt tokens fed in one step while others are decoding. */
  prefillChunkTokens: number;
  threads: number;
  /** Left out: it runs on the CPU. */
  gpu?: GpuTarget | false;
  /** So many of the last layers are on the GPU, the output counted as one. Left out: all. */
  gpuLayers?: number;
  /** The weights stay in the mapped file. Left out: they do. */
  mapsFile?: boolean;
  /** How the key-value cache stores its numbers. Left out: f16. */
  kv?: KvType;
};

export type ToChild =
  | { type: 'load'; config: ChildConfig }
  /** `read`: its messages were read elsewhere, and are left out. */
  | {
      type: 'prepare_chat';
      id: number;
      handle: string;
      prompt: SerializedPrompt;
      grammars: GrammarTexts;
      read?: ReadChat;
    }
  | ({
      type: 'prepare_embedding';
      id: number;
      handle: string;
      adapter: ChatPrompt['target']['adapter'];
      /** Turns are taken per scope (an account). */
      scope?: string;
      /** The texts were read elsewhere, and are left out. */
      read?: ReadInputs;
    } & EmbeddingTexts)
  /** `keepsPrompt`: it is there for another answer, until one without this, or until it is released. */
  | { type: 'generate'; id: number; handle: string; sampling: Sampling; cacheScope: string; keepsPrompt: boolean }
  | { type: 'embed'; id: number; handle: string }
  | { type: 'cancel'; id: number }
  | { type: 'release'; handle: string }
  | { type: 'grant' }
  | { type: 'yield' }
  | { type: 'stop' };

export type ChildFault = 'capacity_unavailable' | 'generation_failed' | 'invalid_request';

/**
 * `dimensions`: length of the vectors, 0 of a text model. `format`: how a text model writes its output; null of one that cannot chat.
 * `runsOn`: the backend, with its devices and layers, or the CPU.
 */
export type ModelFacts = { dimensions: number; format: OutputFormatSpec | null; runsOn: string };

export type FromChild =
  | ({ type: 'ready'; loadMs: number; systemInfo: string } & ModelFacts)
  | { type: 'load_failed'; message: string }
  | { type: 'prepared'; id: number; promptTokens: number; inputs: { tokens: number; truncated: boolean }[] }
  /** All deltas of one step, or of the steps of about 2 ms, in one message. */
  | { type: 'deltas'; items: { id: number; delta: Delta }[] }
  | {
      type: 'finished';
      id: number;
      reason: 'stop' | 'length' | 'tool_calls' | 'cancelled';
      usage: Usage;
      activeMs: number;
      stopText?: string | null;
    }
  | { type: 'embedded'; id: number; vectors: Float32Array[]; promptTokens: number; activeMs: number }
  | {
      type: 'failed';
      id: number;
      fault: ChildFault;
      message: string;
      param: string | null;
      retryAfterSeconds: number | null;
    }
  | { type: 'lease_back' }
  | { type: 'throughput'; prefillMsPerToken: number; decodeMsPerToken: number };

type Exact = Pick<ChatPrompt, 'tools' | 'responseFormat'>;

/** A prompt on its way to the child: the channel loses digits of numbers and the order of keys, which schemas keep as JSON text. */
export type SerializedPrompt = Omit<ChatPrompt, keyof Exact> & { exact: string };

export function serializePrompt({ tools, responseFormat, ...prompt }: ChatPrompt): SerializedPrompt {
  const exact: Exact = { tools, responseFormat };
  return { ...prompt, exact: JSON.stringify(exact) };
}

export function deserializePrompt({ exact, ...prompt }: SerializedPrompt): ChatPrompt {
  // as: written by `serializePrompt`.
  return { ...prompt, ...(parseExactJson(exact) as Exact) };
}
