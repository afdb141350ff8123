import { type Fault, fault } from '#kernel';

export const stopping = (): Fault =>
  fault('capacity_unavailable', { message: 'The server is stopping.', retryAfterSeconds: 5 });

export const notInstalled = (modelId: string): Fault =>
  fault('model_not_installed', {
    param: 'model',
    message: `The model ${modelId} is not installed. Its operator can run: fanfold models pull ${modelId} (or fanfold models add ${modelId} --kind KIND --gguf FILE).`,
  });

/** Engines differ too much: vLLM refuses a suffix, llama.cpp's server ignores it there, and none says which tokens it puts around it. */
export const cannotFillIn = (): Fault =>
  fault('invalid_request', {
    param: 'suffix',
    message:
      'suffix: this model is served by a remote engine, and serving routes cannot fill in the middle; use a model that is installed on the server itself',
  });

/**
 * Not `model_warming`: clients repeat that by themselves, up to ten times, and a broken file does not heal. Not
 * `generation_failed`: nothing has run.
 */
export function cannotLoad(error: string, retryAfterSeconds: number): Fault {
  return fault('capacity_unavailable', {
    message: 'This model could not be loaded. The log of the server says why.',
    retryAfterSeconds,
    internal: error,
  });
}

/** Its `details` say what a caller needs to shorten the prompt. Clients recognise a context overflow by "maximum context length", LangChain for Python by "prompt is too long". */
export function promptTooLong({ atLeast, most }: { atLeast: number; most: number }): Fault {
  return fault('invalid_request', {
    param: 'messages',
    message:
      `This model's maximum context length is ${most} tokens. However, your messages resulted in at least ${atLeast} tokens: ` +
      'the prompt is too long. Send fewer messages or tools.',
    details: { prompt_tokens: atLeast, max_tokens: null, max_context_tokens: most },
  });
}

export function tooManyToTokenise(param: string, { atLeast, most }: { atLeast: number; most: number }): Fault {
  return fault('invalid_request', {
    param,
    message: `${param}: it has at least ${atLeast} tokens, and a request takes ${most}; send it in parts`,
  });
}

export const readsTextOnly = ({ param }: { param: string }): Fault =>
  fault('invalid_request', { param, message: `${param}: the engine of this server reads text only, no images` });

export function queryTooLong({ atLeast, most }: { atLeast: number; most: number }): Fault {
  return fault('invalid_request', {
    param: 'query',
    message: `query: with what the model puts around it, it has at least ${atLeast} tokens, and the limit is ${most} for query and document together; shorten it`,
  });
}

/** Of inputs that do not fit, without counting all of them. */
export function inputsTooLong(
  of: 'input' | 'inputs' | 'cutInput',
  { param, atLeast, most }: { param: 'input' | 'documents'; atLeast: number; most: number },
) {
  const why = param === 'input' ? inputReasons({ atLeast, most }) : documentReasons({ atLeast, most });
  return fault('invalid_request', { param, message: `${param}: ${why[of]}` });
}

type Excess = { atLeast: number; most: number };

function documentReasons({ atLeast, most }: Excess) {
  const inputs = `query and documents have at least ${atLeast} tokens together, counting the query with each document, and the limit is ${most}; send fewer or shorter documents per request`;
  return {
    input: `the query and a document have at least ${atLeast} tokens together, the limit is ${most}; shorten the document, or send truncate: true`,
    inputs,
    cutInput: inputs,
  };
}

function inputReasons({ atLeast, most }: Excess) {
  return {
    input: `an input has at least ${atLeast} tokens, the limit is ${most}; set a smaller chunk size in your client, or send truncate: true`,
    inputs: `the inputs have at least ${atLeast} tokens together, the limit is ${most}; send one input per request (set your client's batch size to 1)`,
    cutInput: 'an input that is cut fills the whole request; send it alone',
  };
}
