import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type HubServer, hubCommit, hubListing, startHubServer } from '#test/hub-server.ts';
import { writeSampleModel, zeros } from '#test/model-files.ts';
import { openModels } from '../models-service.ts';
import { partialPathOf } from './download.ts';
import { type PullModelOptions, pullModel } from './pull-model.ts';
import type { TransferProgress } from './transfer-meter.ts';

/** About 3 MB, so that a transfer takes many pieces. */
const width = 1024;
const parameters = width * 753;

const nextCommit = 'decaf'.padEnd(40, '0');

type CatalogueFacts = { sha256?: string; sizeBytes?: number };

/** A hub that has one model, and folders to pull it into; they are gone after the last test of the file. */
export function fileHub() {
  const root = mkdtempSync(join(tmpdir(), 'fanfold-pull-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  const modelFile = join(root, 'original.gguf');
  writeSampleModel(modelFile, {
    kind: 'embedding',
    dimensions: width,
    tensors: [zeros('token_embd.weight', [width, 3]), zeros('blk.0.attn_q.weight', [width, 750])],
  });
  const model = readFileSync(modelFile);

  async function setUp(t: TestContext, known: CatalogueFacts = {}) {
    const hub = await startHubServer(
      ...[hubCommit, nextCommit].map((commit) => ({
        path: `/org/some-GGUF/resolve/${commit}/some-Q8_0.gguf`,
        bytes: model,
      })),
    );
    const list = (bytes: Buffer, commit = hubCommit) =>
      hub.answers.set(
        '/api/models/org/some-GGUF/revision/main?blobs=true',
        hubListing({ 'some-Q8_0.gguf': bytes }, commit),
      );
    list(model);
    /** Replaces the file by a new commit. */
    const replace = (bytes: Buffer) => {
      hub.replace(bytes);
      list(bytes, nextCommit);
    };
    t.after(() => hub.close());
    const folder = mkdtempSync(join(root, 'case-'));
    const cataloguePath = join(folder, 'catalogue.yaml');
    writeFileSync(cataloguePath, catalogueText(known));
    const models = openModels({ cataloguePath, dataDir: join(folder, 'data'), clock: ticking() });
    const notes: string[] = [];
    const choices: string[] = [];
    const progress: TransferProgress[] = [];
    const pull = (options: Partial<PullModelOptions> = {}) =>
      pullModel(models, {
        model: 'some',
        endpoint: hub.url,
        signal: new AbortController().signal,
        retryDelaysMs: [1, 1, 1],
        stallMs: 300,
        onNote: (line) => notes.push(line),
        onChosen: (line) => choices.push(line),
        onProgress: (report) => progress.push(report),
        ...options,
      });
    const path = join(folder, 'data/models/some/some-Q8_0.gguf');
    return { hub, replace, models, pull, notes, choices, progress, path, partialPath: partialPathOf(path, hubCommit) };
  }

  return { model, modelFile, setUp };
}

function ticking() {
  let nowMs = 0;
  return { nowMs: () => Date.now(), monotonicMs: () => (nowMs += 1000) };
}

function catalogueText({ sha256, sizeBytes }: CatalogueFacts): string {
  return `
price_version: "1"
prices_since: "2026-01-01"
default_credits_per_gpu_minute: "0.03"
models:
  - id: some
    name: Some
    kind: embedding
    parameters: ${parameters}
    license: Apache-2.0
    created: "2026-01-01"
    max_context_tokens: 512
    dimensions: ${width}
    query_instruction: null
    credits_per_gpu_minute: "0.03"
    source:
      hub: { repo: org/some-GGUF, file: some-Q8_0.gguf, revision: main, size_bytes: ${sizeBytes ?? null}, sha256: ${sha256 ?? null} }
`;
}

/** Which parts of the file were asked for after its header, in order. */
export function ranges(hub: HubServer): (string | undefined)[] {
  const all = hub.requests.filter(({ host }) => host === 'store').map(({ headers }) => headers.range);
  return all.filter((range) => range === undefined || range.endsWith('-'));
}

export const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
