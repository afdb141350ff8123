import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { EmbeddingContent, TextContent } from '#datasets';
import { createExampleEncoder } from '#engine';
import { openFolderStore } from '#objects';
import type { SplitExample } from '../prepare/example-split.ts';
import { freezeSnapshot } from '../prepare/freeze-snapshot.ts';
import { snapshotKeys } from '../prepare/snapshot.ts';
import type { TrainerSpec } from './protocol.ts';
import type { Run } from './runner.ts';

const kinds = {
  sft: { model: 'tiny-chat', kind: 'text' },
  embedding: { model: 'tiny-embed', kind: 'embedding' },
} as const;

/** An attempt that really learns something from a real snapshot, in three steps. */
export async function realAttempt(kind: keyof typeof kinds): Promise<Run & { remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'fanfold-trained-'));
  const objects = openFolderStore(join(root, 'objects'));
  const encoder = createExampleEncoder({ environment: process.env, log: () => {} });
  const { model, kind: modelKind } = kinds[kind];
  const place = (path: string) => fileURLToPath(new URL(`../../../models/${model}/${path}`, import.meta.url));
  const sha256 = 'b'.repeat(64);
  const manifest = await freezeSnapshot({
    examples: Readable.from([examplesOf(kind)]),
    base: { id: `fanfold-${model}`, kind: modelKind, installed: { ggufPath: place(`${model}.gguf`), sha256 } },
    settings: { maxSequenceLength: 256, queryInstruction: 'Find it', testRatio: null, seed: 7 },
    ...{ encoder, objects, draftFolder: join(root, 'drafts') },
  });
  await encoder.close();
  const specFolder = join(root, 'attempt');
  await mkdir(specFolder);
  const keys = snapshotKeys(manifest.sha256);
  for (const file of ['train', 'eval'] as const)
    await writeFile(join(specFolder, `${file}.jsonl`), await objects.get(keys[file]));
  const { files, padId } = manifest;
  const spec: TrainerSpec = {
    ...{ protocol: 1, job_id: `real-${kind}`, attempt: 1, kind, resume_from: null, out_dir: 'out' },
    base: { dir: place('hf'), arch: 'qwen3', sha256 },
    data: {
      ...{ train: 'train.jsonl', eval: 'eval.jsonl', control: null, pad_id: padId },
      sha256: { train: files.train.sha256, eval: files.eval.sha256 },
    },
    lora: { r: 4, alpha: 8, targets: ['q_proj', 'v_proj'] },
    optim: { lr: 1e-3, epochs: 1, max_steps: 3, batch: 4, micro_batch: null, warmup: 0.1, seed: 7 },
    limits: { max_active_ms: null, max_rss_mb: null },
    ...{ device: 'cpu', dtype: 'fp32', threads: 1, checkpoint_every_s: 60, keep: 2 },
    ...(kind === 'sft'
      ? {}
      : { embedding: { mode: 'both', temperature: 0.05, max_seq_length: 256, doc_vectors: null } }),
  };
  await writeFile(join(specFolder, 'spec.json'), JSON.stringify(spec));
  const remove = () => rm(root, { recursive: true, force: true });
  return { jobId: spec.job_id, attempt: 1, specFolder, spec, afterSeq: 0, remove };
}

function examplesOf(kind: keyof typeof kinds): SplitExample[] {
  return Array.from({ length: 24 }, (_, n) => {
    const talk: TextContent = {
      messages: [
        { role: 'user', content: `What is ${n}?` },
        { content: `It is ${n}.`, role: 'assistant' },
      ],
      tools: null,
    };
    const passage = (text: string) => ({ document_id: null, text });
    const search: EmbeddingContent = {
      ...{ negatives: [passage(`cup ${n}`)], positives: [passage(`lamp ${n}`)], query: `which lamp is ${n}` },
    };
    return { id: `exm_${n}`, split: n < 20 ? 'train' : 'test', content: kind === 'sft' ? talk : search };
  });
}
