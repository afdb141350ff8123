import Type, { type Static } from 'typebox';
import { nullable, timestamp } from '#http';
import { type FoundRepository, type ModelPull, modelKinds, type PullPreview } from '#models';

const bytes = (description: string) => Type.Integer({ description, minimum: 0 });

export const searchQuery = Type.Object({
  search: Type.String({ description: 'Words of the name.', minLength: 1, maxLength: 100 }),
  limit: Type.Optional(Type.Integer({ description: 'Most results.', minimum: 1, maximum: 100, default: 20 })),
});

export const searchAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      repo: Type.String({ description: 'What to pull.' }),
      downloads: Type.Integer({ description: 'Downloads.' }),
      likes: Type.Integer({ description: 'Likes.' }),
      updated: Type.String({ description: 'Day of the last change.' }),
      license: nullable(Type.String(), 'Its license; null when unknown.'),
      gated: Type.Boolean({ description: 'Its terms must be accepted at the hub, and `HF_TOKEN` set.' }),
    }),
    { description: 'Repositories with GGUF files, most downloaded first.' },
  ),
});

const model = Type.String({
  description:
    'An id of the catalogue (`qwen3-4b`) or a repository of the hub: `org/repo`, `org/repo:Q4_K_M`, `org/repo/file.gguf`.',
  minLength: 1,
  maxLength: 500,
});

export const variantsQuery = Type.Object({ model });

export const variantsAnswer = Type.Object({
  repo: Type.String({ description: 'Repository of the hub.' }),
  kind: Type.Enum([...modelKinds], { description: 'What it is for.' }),
  license: nullable(Type.String(), 'Its license; null when unknown.'),
  context_tokens: Type.Integer({ description: 'The needed memory is that of calls with such a context.' }),
  budget_bytes: bytes('What models may take here, in main memory and on the GPU.'),
  variants: Type.Array(
    Type.Object({
      model: Type.String({ description: 'What to pull.' }),
      quantisation: nullable(Type.String(), 'Null: the name does not say.'),
      size_bytes: bytes('What is fetched.'),
      needed_bytes: bytes('What it would take when it is loaded.'),
      fits: Type.Boolean({ description: 'Whether there is so much.' }),
      chosen: Type.Boolean({ description: 'The largest that fits: a pull of the repository takes it.' }),
    }),
    { description: 'Forms of the model, largest first.' },
  ),
});

export const pullBody = Type.Object({
  model,
  id: Type.Optional(
    Type.String({ description: 'What it is to be called; default: as its repository.', maxLength: 63 }),
  ),
  weights: Type.Optional(
    Type.Boolean({
      description: 'Fetch the weights that training needs, instead of the file that serves.',
      default: false,
    }),
  ),
  force: Type.Optional(Type.Boolean({ description: 'Fetch again what is installed.', default: false })),
});

export const pullSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifier.' }),
    model: Type.String({ description: 'What was asked for.' }),
    weights: Type.Boolean({ description: 'Whether the weights for training are fetched.' }),
    state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'canceled'], { description: 'State.' }),
    phase: nullable(
      Type.Enum(['download', 'check']),
      '`check`: the file is here and its digest is computed; null before the transfer.',
    ),
    received_bytes: bytes('Bytes that are here.'),
    total_bytes: nullable(bytes('Bytes of all files.'), 'Null before the transfer.'),
    bytes_per_second: bytes('Over the last few seconds.'),
    note: nullable(Type.String(), 'Which file was chosen and why, and what the transfer met.'),
    error: nullable(Type.String(), 'Why it failed.'),
    base_model_id: nullable(Type.String(), 'What it has installed.'),
    created_at: timestamp('When it was requested.'),
    updated_at: timestamp('When it last changed.'),
  },
  { $id: 'ModelPull' },
);

export function foundToWire({ isGated, ...found }: FoundRepository): Static<typeof searchAnswer>['data'][number] {
  return { ...found, gated: isGated };
}

export function variantsToWire(preview: PullPreview): Static<typeof variantsAnswer> {
  const { repo, kind, license, contextTokens, budgetBytes, variants } = preview;
  return {
    repo,
    kind,
    license,
    context_tokens: contextTokens,
    budget_bytes: budgetBytes,
    variants: variants.map((variant) => ({
      model: variant.model,
      quantisation: variant.quantisation,
      size_bytes: variant.sizeBytes,
      needed_bytes: variant.neededBytes,
      fits: variant.fits,
      chosen: variant.isChosen,
    })),
  };
}

export function pullToWire(pull: ModelPull): Static<typeof pullSchema> {
  return {
    id: pull.id,
    model: pull.model,
    weights: pull.isWeights,
    state: pull.state,
    phase: pull.phase,
    received_bytes: Number(pull.receivedBytes),
    total_bytes: pull.totalBytes === null ? null : Number(pull.totalBytes),
    bytes_per_second: Number(pull.bytesPerSecond),
    note: pull.note,
    error: pull.error,
    base_model_id: pull.baseModelId,
    created_at: pull.createdAt.toISOString(),
    updated_at: pull.updatedAt.toISOString(),
  };
}
