import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { defaultSettings, ModelPlanner } from '#engine';
import { hubCommit, hubListing, startHubServer } from '#test/hub-server.ts';
import { type SampleModel, writeSampleModel, zeros } from '#test/model-files.ts';
import { openModels } from '../models-service.ts';
import { type PullModelOptions, pullModel } from './pull-model.ts';

type Repository = { repo?: string; revision?: string; license?: string };

/** Hubs with a repository of any files, and servers that pull from it; all are gone after the last test of the file. */
export function hubRepositories() {
  const root = mkdtempSync(join(tmpdir(), 'fanfold-repository-'));
  after(() => rmSync(root, { recursive: true, force: true }));

  /** A model whose weights take about so many bytes. */
  function modelOf(bytes: number, model: SampleModel = {}): Buffer {
    const path = join(root, 'model.gguf');
    writeSampleModel(path, {
      tensors: [zeros('token_embd.weight', [128, Math.max(1, Math.ceil(bytes / 512))])],
      ...model,
    });
    return readFileSync(path);
  }

  async function setUp(t: TestContext, files: Record<string, Buffer>, repository: Repository = {}) {
    const { repo = 'org/Some-Model-GGUF', revision = 'main', license } = repository;
    const served = Object.entries(files).map(([name, bytes]) => ({
      path: `/${repo}/resolve/${hubCommit}/${name}`,
      bytes,
    }));
    const hub = await startHubServer(...served);
    const listing = { ...hubListing(files), ...(license ? { cardData: { license } } : {}) };
    hub.answers.set(`/api/models/${repo}/revision/${encodeURIComponent(revision)}?blobs=true`, listing);
    t.after(() => hub.close());
    const folder = mkdtempSync(join(root, 'case-'));
    const cataloguePath = join(folder, 'catalogue.yaml');
    writeFileSync(cataloguePath, catalogueText);
    let nowMs = 0;
    const clock = { nowMs: () => Date.now(), monotonicMs: () => (nowMs += 1000) };
    const models = openModels({ cataloguePath, dataDir: join(folder, 'data'), clock });
    const choices: string[] = [];
    const notes: string[] = [];
    const pull = (model: string, options: Partial<PullModelOptions> = {}) =>
      pullModel(models, {
        model,
        endpoint: hub.url,
        signal: new AbortController().signal,
        retryDelaysMs: [1],
        stallMs: 2_000,
        planner: plannerWithin(1e12),
        onChosen: (line) => choices.push(line),
        onNote: (line) => notes.push(line),
        ...options,
      });
    return { hub, models, pull, choices, notes, folder: join(folder, 'data/models') };
  }

  return { modelOf, setUp };
}

/** Of a machine whose models may take so much. */
export function plannerWithin(memoryLimitBytes: number): ModelPlanner {
  return new ModelPlanner({ settings: defaultSettings(), memoryLimitBytes, environment: {}, log: () => {} });
}

const catalogueText = `
price_version: "1"
prices_since: "2026-01-01"
default_credits_per_gpu_minute: "0.03"
models:
  - id: fixed
    name: Fixed
    kind: text
    parameters: 128
    license: MIT
    created: "2026-01-01"
    max_context_tokens: 4096
    reasoning_efforts: []
    tools: true
    credits_per_gpu_minute: "0.05"
    source:
      hub: { repo: org/Fixed-GGUF, file: fixed-Q8_0.gguf, revision: main, size_bytes: null, sha256: null }
library:
  - { id: known, name: Known Model, kind: text, parameters: 1000, license: Apache-2.0, max_context_tokens: 32768, reasoning_efforts: [], tools: true, repo: org/Known-GGUF }
  - { id: vectors, name: Vectors, kind: embedding, parameters: 1000, license: MIT, max_context_tokens: 512, dimensions: 128, query_instruction: "query: {query}", repo: org/Vectors-GGUF }
`;
