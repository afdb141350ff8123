import Type, { type Static } from 'typebox';
import { kvTypes, type MemoryBytes, type RuntimeStatus } from '#engine';
import { creditsPattern, creditsText, nullable } from '#http';
import { formatCredits } from '#kernel';
import { type BaseModel, type ModelDetails, type ModelListing, modelKinds } from '#models';

const bytes = (description: string) => Type.Integer({ description, minimum: 0 });
const kind = Type.Enum([...modelKinds], { description: 'What it is for.' });
const baseModelId = Type.String({ description: 'Id of the base model.' });

const memory = (description: string) =>
  Type.Object(
    { memory_bytes: bytes('In main memory.'), vram_bytes: bytes('In the memory of the GPU.') },
    { description },
  );

export const runtimeSchema = Type.Object(
  {
    status: Type.Enum(['cold', 'loading', 'ready', 'failed'], { description: 'What the engine does with it.' }),
    runs_on: nullable(Type.String(), '`CPU`, or the GPU with the layers there; null while it is not loaded.'),
    error: nullable(Type.String(), 'Why it could not be loaded.'),
    running: Type.Integer({ description: 'Calls that it works on.', minimum: 0 }),
    waiting: Type.Integer({ description: 'Calls in its queue.', minimum: 0 }),
  },
  { description: 'Of the server that answers.' },
);

export const operatorModelSchema = Type.Object(
  {
    id: baseModelId,
    name: Type.String({ description: 'Name for people.' }),
    kind,
    installed: Type.Boolean({ description: 'Its file is here.' }),
    from: Type.Enum(['shipped', 'hub', 'file'], { description: 'Where it comes from.' }),
    size_bytes: nullable(bytes('Size of its file.'), 'Null when unknown.'),
    planned: nullable(
      Type.Object({
        model: memory('What it takes when it is loaded.'),
        adapters: memory('What its adapters take beside it.'),
        runs_on: Type.String({ description: 'What it would run on.' }),
      }),
      'Null while it is not installed.',
    ),
    max_context_tokens: Type.Integer({ description: 'Tokens of its context.' }),
    rate: creditsText('Credits for a minute of active time.'),
    training: Type.Enum(['yes', 'no', 'file missing', 'weights missing', 'both missing'], {
      description: 'Whether jobs can train it, and what they lack.',
    }),
    runtime: runtimeSchema,
  },
  { $id: 'OperatorModel' },
);

export const operatorModelsAnswer = Type.Object({
  data: Type.Array(operatorModelSchema, { description: 'The catalogue and what was added, installed ones first.' }),
  machine: Type.Object(
    {
      memory_bytes: bytes('What models may take in main memory.'),
      gpu: nullable(
        Type.Object({
          label: Type.String({ description: 'Backend.' }),
          devices: Type.Array(Type.String(), { description: 'Names of the GPUs.' }),
          memory_bytes: bytes('Their memory.'),
        }),
        'Null: models run on the CPU.',
      ),
    },
    { description: 'The server that answers.' },
  ),
});

const contextField = (text: string) => nullable(Type.Integer({ minimum: 1 }), text);
const settings = {
  context_tokens: Type.Optional(contextField('Context; null: what the model supports and what fits.')),
  sequences: Type.Optional(contextField('Calls at once; null: as many as the server is set to.')),
  kv: Type.Optional(Type.Enum([...kvTypes], { description: 'How the key-value cache is stored.' })),
};

export const addModelBody = Type.Object({
  id: Type.String({ description: 'What it is to be called.', minLength: 1, maxLength: 63 }),
  path: Type.String({
    description: 'A GGUF file on the server, or the first part of a split model. It stays where it is.',
    minLength: 1,
    maxLength: 4096,
  }),
  kind: Type.Optional(kind),
  name: Type.Optional(Type.String({ description: 'Name for people.', maxLength: 80 })),
  rate: Type.Optional(Type.String({ description: 'Credits for a minute of active time.', pattern: creditsPattern })),
  replace: Type.Optional(Type.Boolean({ description: 'Replace an added model of this id.', default: false })),
  ...settings,
});

export const addModelAnswer = Type.Object({
  id: baseModelId,
  kind,
  max_context_tokens: Type.Integer({ description: 'Tokens of its context.' }),
  warnings: Type.Array(Type.String(), { description: 'What it lacks, and what else is to be known.' }),
});

export const settingsBody = Type.Object(settings);

export const modelDetailsSchema = Type.Object(
  {
    id: baseModelId,
    path: nullable(Type.String(), 'Its file; null while it is not installed.'),
    context: Type.Object(
      {
        tokens: Type.Integer({ description: 'Tokens of its context.' }),
        chosen_by: Type.Enum(['operator', 'memory', 'catalogue', 'model'], { description: 'Who has chosen it.' }),
        supported_tokens: nullable(Type.Integer(), 'What the file supports; null: it does not say.'),
      },
      { description: 'Its context.' },
    ),
    sequences: nullable(Type.Integer(), 'Calls at once; null: as many as the server is set to.'),
    kv: Type.Enum([...kvTypes], { description: 'How the key-value cache is stored.' }),
    runs_on: nullable(Type.String(), 'What it would run on; null while it is not installed.'),
    budget: nullable(memory('What models may take here.'), 'Null while it is not installed.'),
    options: Type.Array(
      Type.Object({
        sequences: Type.Integer({ description: 'Calls at once.' }),
        needed: memory('What it would take.'),
        fits: Type.Boolean({ description: 'Whether there is so much.' }),
      }),
      { description: 'From the most calls at once to the fewest.' },
    ),
  },
  { $id: 'OperatorModelDetails' },
);

export const removeQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Also when aliases or training jobs use it.', default: false })),
});

export const removedAnswer = Type.Object({
  deleted: Type.Boolean({ description: 'Its files are deleted; those that a person added stay.' }),
});

type RuntimeState = { status: RuntimeStatus; load: { running: number; waiting: number } };

export function operatorModelToWire(
  listing: ModelListing,
  { name }: Pick<BaseModel, 'name'>,
  { status, load }: RuntimeState,
): Static<typeof operatorModelSchema> {
  const { id, kind, installed, from, sizeBytes, memory: planned, contextTokens, rate, training } = listing;
  return {
    id,
    name,
    kind,
    installed,
    from,
    size_bytes: sizeBytes,
    planned: planned && {
      model: memoryToWire(planned.model),
      adapters: memoryToWire(planned.adapters),
      runs_on: planned.runsOn,
    },
    max_context_tokens: contextTokens,
    rate,
    training,
    runtime: {
      status: status.status,
      runs_on: status.runsOn,
      error: status.error,
      running: load.running,
      waiting: load.waiting,
    },
  };
}

function memoryToWire({ ram, vram }: MemoryBytes) {
  return { memory_bytes: ram, vram_bytes: vram };
}

export function modelDetailsToWire(details: ModelDetails): Static<typeof modelDetailsSchema> {
  const { id, path, context, sequences, kv, plan } = details;
  return {
    id,
    path,
    context: { tokens: context.tokens, chosen_by: context.chosenBy, supported_tokens: context.supported },
    sequences,
    kv,
    runs_on: plan?.runsOn ?? null,
    budget: plan && memoryToWire(plan.budget),
    options: (plan?.options ?? []).map((option) => ({
      sequences: option.sequences,
      needed: memoryToWire(option.memory),
      fits: option.fits,
    })),
  };
}

export const catalogueAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: 'What to pull.' }),
      name: Type.String({ description: 'Name for people.' }),
      kind,
      parameters: Type.Integer({ description: 'Number of weights.' }),
      max_context_tokens: Type.Integer({ description: 'Tokens of its context.' }),
      tools: Type.Boolean({ description: 'The chat template knows tools.' }),
      license: nullable(Type.String(), 'Its license; null when unknown.'),
      rate: creditsText('Credits for a minute of active time.'),
      installed: Type.Boolean({ description: 'Its file is here.' }),
    }),
    { description: 'Models that can be pulled by an id.' },
  ),
});

export function catalogueToWire(model: BaseModel): Static<typeof catalogueAnswer>['data'][number] {
  return {
    id: model.id,
    name: model.name,
    kind: model.kind,
    parameters: model.parameters,
    max_context_tokens: model.maxContextTokens,
    tools: model.tools,
    license: model.license,
    rate: formatCredits(model.rateMicroPerMinute),
    installed: model.installed !== null,
  };
}
