import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';

/** What the routes of imports answer, as far as the tests look at it. */
export type WireImport = {
  id: string;
  dataset_id: string | null;
  state: string;
  file: { size_bytes: number; received_bytes: number; sha256: string | null };
  format: string | null;
  progress: { phase: string | null; rows_done: number; rows_total: number | null; percent: number | null };
  mapping: Record<string, unknown> | null;
  counts: { rows: number; valid: number; invalid: number; duplicates: number; over_token_limit: number };
  result: { version_id: string; examples_added: number; rows_skipped: number } | null;
  error: { code: string; message: string; hint: string | null; details: Record<string, unknown> } | null;
  finished_at: string | null;
};

export type WireIssue = {
  line: number;
  byte_offset: number | null;
  pointer: string;
  code: string;
  message: string;
  hint: string | null;
  excerpt: string;
};

export type WireProfile = {
  format: string;
  encoding: string | null;
  delimiter: string | null;
  gzip: boolean;
  columns: { name: string; type: string; null_count: number; samples: string[] }[];
  detected_shape: string;
  suggested_mapping: Record<string, unknown> | null;
  rows: number;
  valid: number;
  invalid: number;
  duplicates: number;
  token_stats: { min: number; p50: number; p95: number; max: number; total: number };
  issues: { code: string; count: number; first_line: number }[];
};

export type WirePreview = {
  rows: {
    line: number;
    source: unknown;
    example: { text: unknown; embedding: unknown; split: string | null; tokens: number | null } | null;
    issues: WireIssue[];
  }[];
  counts: WireImport['counts'];
  will_import: number;
  will_skip: number;
  preview_token: string;
};

export type Answer<Body> = { status: number; body: Body; headers: Headers };
export type Refusal = {
  error: { code: string; message: string; param: string | null; details: Record<string, unknown> | null };
};

/** Speaks to the imports of one project as its owner's program would. */
export type ImportClient = ReturnType<typeof importClient>;

export function importClient({ origin, key, project }: { origin: string; key: string; project: string }) {
  const base = `${origin}/api/v1/projects/${project}`;

  async function ask<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await fetch(`${base}/${path}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers };
  }

  async function demand<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await ask<Body>(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async function create(file: { name: string; size: number; dataset?: string; more?: object }): Promise<WireImport> {
    const { name: file_name, size: size_bytes, dataset, more } = file;
    const target = dataset === undefined ? { dataset_name: 'Imported' } : { dataset_id: dataset };
    const made = await demand<{ import: WireImport }>('POST', 'imports', { file_name, size_bytes, ...target, ...more });
    return made.import;
  }

  async function put<Body = WireImport>(
    id: string,
    bytes: Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(`${base}/imports/${id}/content`, {
      method: 'PUT',
      headers: { ...bearer(key), 'content-type': 'application/octet-stream', ...headers },
      body: new Uint8Array(bytes),
      signal: AbortSignal.timeout(180_000),
    });
    return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers };
  }

  const read = (id: string) => demand<WireImport>('GET', `imports/${id}`);

  /** Waits until it is in one of these states. */
  async function until(id: string, ...states: string[]): Promise<WireImport> {
    const deadline = performance.now() + 180_000;
    for (;;) {
      const now = await read(id);
      if (states.includes(now.state)) return now;
      const isOver = now.finished_at !== null || performance.now() > deadline;
      assert.ok(!isOver, `waited for ${states.join(' or ')}, and it is ${now.state}: ${JSON.stringify(now.error)}`);
      await sleep(50);
    }
  }

  /** Uploads a file and waits for what reading it comes to. */
  async function upload(
    name: string,
    bytes: Buffer,
    more: { dataset?: string; more?: object } = {},
  ): Promise<WireImport> {
    const { id } = await create({ name, size: bytes.length, ...more });
    const { status, body } = await put(id, bytes);
    assert.equal(status, 200, JSON.stringify(body));
    return until(id, 'ready', 'failed');
  }

  const profile = (id: string) => demand<WireProfile>('GET', `imports/${id}/profile`);
  const preview = (id: string, body: object = {}) => demand<WirePreview>('POST', `imports/${id}/preview`, body);

  async function confirm(id: string, body: object = {}): Promise<WireImport> {
    const { preview_token } = await preview(id, body);
    await demand('POST', `imports/${id}/confirm`, { preview_token });
    return until(id, 'completed', 'failed', 'canceled');
  }

  async function issues(id: string): Promise<WireIssue[]> {
    return (await demand<{ data: WireIssue[] }>('GET', `imports/${id}/errors?limit=100`)).data;
  }

  return { base, ask, demand, create, put, read, until, upload, profile, preview, confirm, issues };
}
