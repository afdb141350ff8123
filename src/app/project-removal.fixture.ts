import { newId } from '#kernel';
import { seedProject } from '#test/accounts.ts';
import type { TestDatabase } from '#test/database.ts';

const digest = 'ab'.repeat(32);

/** A project with a row in every table in which something of a project is stored, and the keys of its objects. */
export async function fillProject({ database }: TestDatabase, owner: { accountId: string; friendId: string }) {
  const { projectId } = await seedProject(database, { accountId: owner.accountId, kind: 'embedding' });
  const ids = {
    project: projectId,
    account: owner.accountId,
    friend: owner.friendId,
    dataset: newId('ds'),
    version: newId('dsv'),
    next: newId('dsv'),
    import: newId('imp'),
    index: newId('idx'),
    job: newId('job'),
    model: newId('hm'),
    chat: newId('cht'),
    message: newId('msg'),
    example: newId('ex'),
    event: newId('rev'),
    request: newId('req'),
  };
  const objects = {
    part: `imports/${ids.import}/part-1`,
    profile: `imports/${ids.import}/profile-1`,
    adapter: `training/jobs/${ids.job}/1/adapter.gguf`,
    archive: `training/jobs/${ids.job}/1/lora.zip`,
    checkpoint: `training/jobs/${ids.job}/1/ckpt-1/weights.bin`,
  };
  for (const statement of statementsOf(ids, objects)) await database.query(statement);
  return { ids, objects: Object.values(objects) };
}

export type FilledProject = Awaited<ReturnType<typeof fillProject>>;

type Ids = Record<
  | ('project' | 'account' | 'friend' | 'dataset' | 'version' | 'next' | 'import' | 'index' | 'job' | 'model' | 'chat')
  | ('message' | 'example' | 'event' | 'request'),
  string
>;

function statementsOf(id: Ids, object: Record<'part' | 'profile', string>): string[] {
  return [
    `insert into datasets (id, project_id, name, kind, search_text) values ('${id.dataset}', '${id.project}', 'Data', 'embedding', '')`,
    `insert into example_contents values ('${id.dataset}', '\\x${digest}', '{}')`,
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, valid)
     values ('${id.dataset}', '${id.example}', 1, '\\x${digest}', 2, 'train', 'manual', true)`,
    `insert into example_words values ('${id.dataset}', '${id.example}', 1, 'word')`,
    `insert into unindexed_examples values ('${id.dataset}', 1, '')`,
    `insert into example_counts values ('${id.dataset}', 'train', 'manual', true, 1, 1, 2)`,
    ...[id.version, id.next].map(
      (version, n) =>
        `insert into dataset_versions (id, dataset_id, project_id, number, seq, sha256, bytes, train_count, test_count,
           token_stats, source_kind, parent_version_id)
         values ('${version}', '${id.dataset}', '${id.project}', ${n + 1}, ${n + 1}, '${digest}', 2, 1, 0, '{}', 'manual',
           ${n === 0 ? 'null' : `'${id.version}'`})`,
    ),
    `insert into imports (id, project_id, dataset_id, state, file_name, size_bytes, received_bytes, sha256, reader_options, options,
       created_by, issues_key) values ('${id.import}', '${id.project}', '${id.dataset}', 'ready', 'x.jsonl', 10, 10, '${digest}', '{}', '{}',
       '{}', '${object.profile}')`,
    `insert into import_parts (key, import_id, first_byte, bytes) values ('${object.part}', '${id.import}', 0, 10)`,
    `insert into import_parts (key, import_id, first_byte) values ('${object.profile}', '${id.import}', 0)`,
    `insert into import_issues values ('${id.import}', 0, 'empty', '{}')`,
    `select change_storage('${id.account}', 10)`,
    `insert into dataset_indexes (id, project_id, dataset_id, version_id, account_id, model, base_model_id, base_model_sha256,
       max_input_tokens, dimensions, rate_micro_per_minute, query_rate_micro_per_minute, price_version, state, created_by, request_id,
       charged_micro) values ('${id.index}', '${id.project}', '${id.dataset}', '${id.version}', '${id.account}', 'm', 'm', '${digest}',
       512, 4, 0, 0, 'v', 'ready', '{}', '${id.index}', 0)`,
    `insert into index_documents values ('${id.index}', 0, '\\x00', null, 'text')`,
    `insert into index_vectors values ('${id.index}', 0, 1, '\\x00')`,
    `insert into retrieval_events (dataset_id, id, external_id, body_digest, state, query, results, judgments, words)
     values ('${id.dataset}', '${id.event}', 'mine', '\\x${digest}', 'pending', 'q', '[]', '[]', ' q ')`,
    `insert into retrieval_event_names values ('${id.dataset}', 'mine', '${id.event}')`,
    `insert into promoted_pairs values ('${id.dataset}', '\\x${digest}', '${id.example}')`,
    `insert into promotion_notices values ('${id.dataset}', 'Data', '${id.account}', 'o', 'p', 'account', '', 'o', now(), 1)`,
    `insert into training_jobs (id, project_id, account_id, name, search_text, kind, base_model_id, base_sha256, dataset_id,
       dataset_version_id, hyperparameters, evaluation, state, result, adapter_sha256, archive_sha256, rate_micro_per_minute,
       price_version, queue_round, created_by, finished_at, archive_bytes)
     values ('${id.job}', '${id.project}', '${id.account}', 'Job', '', 'embedding', 'm', '${digest}', '${id.dataset}', '${id.version}',
       '{}', '{}', 'succeeded', '{}', '${digest}', '${digest}', 0, 'v', 1, '{}', now(), 0)`,
    `update training_jobs set archive_bytes = 7 where id = '${id.job}'`,
    `insert into training_attempts (job_id, number, id, state, estimate, held_micro, artifacts_noted, finished_at)
     values ('${id.job}', 1, '${id.job}-1', 'succeeded', '{}', 0, true, now())`,
    `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes, noted_files)
     values ('${id.job}', 1, 'ckpt-1', 1, 1, 1, '["weights.bin"]')`,
    `insert into training_logs (job_id, seq, attempt, level, source, message) values ('${id.job}', 1, 1, 'info', 'system', 'm')`,
    `insert into training_metrics values ('${id.job}', 1, 'loss', 1, 1)`,
    `insert into hosted_models (id, project_id, alias, display_name, search_text, target_type, target_id, base_model_id, state,
       visibility, rate_micro_per_minute, price_version)
     values ('${id.model}', '${id.project}', 'm', 'M', '', 'training_job', '${id.job}', 'm', 'active', 'shared', 0, 'v')`,
    `insert into hosted_model_revisions (hosted_model_id, revision, target_type, target_id, base_model_id, rate_micro_per_minute,
       price_version) values ('${id.model}', 1, 'training_job', '${id.job}', 'm', 0, 'v')`,
    `insert into model_shares (id, hosted_model_id, project_id, account_id)
     values ('shr-${id.model}', '${id.model}', '${id.project}', '${id.friend}')`,
    `insert into chats (id, project_id, title, search_text, params) values ('${id.chat}', '${id.project}', '', '', '{}')`,
    `insert into chat_messages (id, chat_id, seq, role, state) values ('${id.message}', '${id.chat}', 1, 'assistant', 'complete')`,
    `insert into chat_images (id, chat_id, message_id, account_id, position, media_type, data)
     values ('img-${id.message}', '${id.chat}', '${id.message}', '${id.account}', 0, 'image/png', '\\x00')`,
    `insert into chat_words values ('${id.message}', '${id.chat}', 1, 'word')`,
    `insert into chat_examples values ('${id.message}', 1, '${id.dataset}', '${id.example}')`,
    `insert into saved_calls (request_id, project_id, account_id, model_requested, model_served, messages, tools, params, answer,
       finish_reason, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, active_ms, prompt_preview, answer_preview,
       search_text) values ('${id.request}', '${id.project}', '${id.account}', 'm', 'm', '[]', '[]', '{}', '{}', 'stop', 1, 1, 0, 0, 1,
       '', '', '')`,
    `insert into saved_call_examples values ('${id.dataset}', '${id.request}', '${id.example}')`,
    `insert into stored_responses (project_id, account_id, id, model, input, body, bytes)
     values ('${id.project}', '${id.friend}', 'resp-${id.request}', 'm', '[]', '{}', 4)`,
    `insert into calls (request_id, account_id, operation, project_id, idempotency_key, fingerprint, status, body)
     values ('${id.request}', '${id.account}', 'chat', '${id.project}', '${id.request}', '\\x${digest}', 200, '\\x00')`,
    `insert into request_log (id, account_id, state, project_id, finished_at)
     values ('${id.request}', '${id.account}', 'succeeded', '${id.project}', now())`,
  ];
}
