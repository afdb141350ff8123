// Made of the published contract by "npm run openapi". Do not edit.

export type Schemas = {
  Error: {
    error: {
      message: string;
      type: string;
      param: string | null;
      code: string;
      request_id: string;
      details: Record<string, unknown> | null;
    };
    detail?: unknown;
  };
  Account: {
    id: string;
    slug: string;
    email: string | null;
    email_verified: boolean;
    display_name: string;
    avatar_url: string | null;
    locale: string;
    role: 'user' | 'admin';
    status: 'active' | 'suspended';
    created_at: string;
    updated_at: string;
    auth: {
      method: 'session' | 'api_key';
      key_id: string | null;
      identity_provider: 'local' | 'oidc';
      has_password: boolean;
      session_expires_at: string | null;
    };
    credits: { available: string };
    limits: { max_active_keys: number; max_projects: number };
  };
  AccountLimits: {
    requests_per_minute: number | null;
    concurrent_requests: number | null;
    credits_per_day: string | null;
    used: {
      requests: number;
      minute_ends_at: string | null;
      running: number;
      credits_today: string;
      storage_bytes: number;
    };
    operator: {
      requests_per_minute: number | null;
      concurrent_requests: number | null;
      credits_per_day: string | null;
      storage_bytes: number | null;
    };
  };
  AccountName: { id: string; slug: string };
  Activity: {
    id: string;
    type: string;
    severity: 'info' | 'success' | 'warning' | 'error';
    actor: { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string };
    project: { owner: string; slug: string } | null;
    subject: { kind: string; id: string; label: string; href: string };
    message: string;
    data: Record<string, unknown>;
    request_id: string | null;
    archived: boolean;
    created_at: string;
  };
  BaseModel: {
    id: string;
    name: string;
    kind: 'text' | 'embedding' | 'reranker';
    parameters: number;
    license: string | null;
    max_context_tokens: number;
    dimensions: number | null;
    query_instruction: string | null;
    inference: {
      defaults: {
        max_tokens: number;
        temperature: number;
        top_p: number;
        reasoning_effort: null;
        stream: boolean;
      };
      capabilities: {
        streaming: boolean;
        tools: boolean;
        parallel_tool_calls: boolean;
        reasoning_effort: ('none' | 'low' | 'high')[];
        embeddings: boolean;
        vision: boolean;
        rerank: boolean;
        max_inputs: number | null;
        max_input_tokens: number | null;
        request_token_budget: number | null;
        missing: { tools?: string; parallel_tool_calls?: string; reasoning_effort?: string };
      };
    };
    training: { supported: boolean; hyperparameters: Record<string, unknown>; max_seq_lengths: number[] };
    serving: { available: boolean; runtime_status: 'cold' | 'loading' | 'ready' | 'failed' | null };
    revision: string | null;
    rate: { credits_per_gpu_minute: string; price_version: string };
    created_at: string;
  };
  CallLimits: {
    requests_per_minute: number | null;
    concurrent_requests: number | null;
    credits_per_day: string | null;
    used: { requests: number; minute_ends_at: string | null; running: number; credits_today: string };
  };
  CallableModel: {
    ref: string;
    source: 'hosted' | 'training_job' | 'base';
    name: string;
    kind: 'text' | 'embedding' | 'reranker';
    project: { owner: string; slug: string } | null;
    owner: Schemas['AccountName'] | null;
    access: 'owned' | 'shared' | 'public';
    state: 'inactive' | 'warming' | 'active' | 'failed';
    base_model: string;
    revision: number | null;
    dimensions: number | null;
    max_context_tokens: number | null;
    max_input_tokens: number | null;
    callable: boolean;
    not_callable_reason: 'inactive' | 'warming' | 'failed' | 'project_archived' | 'not_installed' | 'no_project' | null;
    call: { base_url: string | null; example_curl: string | null };
    rate: Schemas['FrozenRate'];
    created_at: string;
    updated_at: string;
  };
  Chat: {
    id: string;
    title: string;
    model: string | null;
    system_prompt: string | null;
    params: {
      max_tokens: number;
      temperature: number;
      top_p: number;
      reasoning_effort: 'none' | 'low' | 'high' | null;
      tools: Record<string, unknown>[] | null;
      response_format: Record<string, unknown> | null;
      top_k: number | null;
      seed: number | null;
      stop: string[];
      presence_penalty: number;
      frequency_penalty: number;
    };
    message_count: number;
    last_message_at: string | null;
    archived_at: string | null;
    created_at: string;
    updated_at: string;
  };
  ChatMessage: {
    id: string;
    seq: number;
    role: 'user' | 'assistant' | 'tool';
    content: string | null;
    reasoning_content: string | null;
    tool_calls: Schemas['ToolCall'][] | null;
    tool_call_id: string | null;
    images: { id: string; media_type: string; bytes: number }[];
    rating: 'up' | 'down' | null;
    state: 'queued' | 'streaming' | 'complete' | 'failed' | 'stopped';
    attempt: number;
    error: { code: string; message: string; retryable: boolean; retry_after_s: number | null } | null;
    finish_reason: 'stop' | 'length' | 'tool_calls' | null;
    usage: Schemas['Usage'] | null;
    request: Record<string, unknown> | null;
    request_id: string | null;
    model_revision: number | null;
    active_ms: number;
    credits: string;
    created_at: string;
    finished_at: string | null;
  };
  Checkout: {
    id: string;
    state: 'open' | 'processing' | 'completed' | 'failed' | 'canceled' | 'expired';
    credits: string;
    pack_id: string | null;
    price: Schemas['Money'];
    url: string | null;
    provider: 'stripe';
    created_at: string;
    expires_at: string;
    completed_at: string | null;
  };
  Credits: {
    settled: string;
    reserved: string;
    available: string;
    lifetime: { granted: string; purchased: string; spent: string };
    low_balance: boolean;
    as_of: string;
  };
  Dashboard: {
    as_of: string;
    window: '24h' | '7d' | '30d';
    credits: {
      available: string;
      reserved: string;
      spent_window: string;
      projected_days_left: number | null;
    };
    usage: {
      requests: number;
      errors: number;
      active_ms: number;
      credits: string;
      p50_ms: number;
      p95_ms: number;
      series: ({
        at: string;
        requests: number;
        errors: number;
        credits: string;
        prompt_tokens: number;
        completion_tokens: number;
        total_p50_ms: number | null;
        total_p95_ms: number | null;
      })[];
    };
    projects: {
      total: number;
      recent: ({
        id: string;
        owner: string;
        slug: string;
        name: string;
        kind: 'text' | 'embedding';
        visibility: 'private' | 'public';
        created_at: string;
        updated_at: string;
      })[];
    };
    training: {
      active: ({
        id: string;
        name: string;
        project: { owner: string; slug: string };
        state: string;
        percent: number | null;
      })[];
      queued: number;
      failed_window: number;
      last_succeeded: { id: string; name: string; project: { owner: string; slug: string }; finished_at: string } | null;
    };
    models: {
      active: number;
      warming: number;
      failed: number;
      top: { model: string; requests: number; credits: string }[];
    };
    feedback: { pending: number; needs_judgment: number; promoted_window: number };
    imports: { awaiting_confirmation: number; failed_window: number };
    keys: { active: number; unused_30d: number };
    alerts: ({
      code: 'low_credits' | 'job_failed' | 'model_failed' | 'import_waiting' | 'key_unused';
      severity: 'info' | 'warning' | 'error';
      message: string;
      href: string;
    })[];
    getting_started: { project: boolean; key: boolean; first_call: boolean; dataset: boolean; training: boolean };
  };
  Dataset: {
    id: string;
    name: string;
    description: string | null;
    kind: 'text' | 'embedding';
    target_model: string | null;
    example_count: number;
    split_counts: { train: number; test: number };
    invalid_count: number;
    token_total: number;
    head_sha256: string | null;
    latest_version: { id: string; number: number } | null;
    pending_retrieval_events: number;
    archived_at: string | null;
    created_at: string;
    updated_at: string;
  };
  DatasetIndex: {
    id: string;
    dataset_id: string;
    version_id: string;
    model: string;
    base_model: string;
    model_revision: number | null;
    dimensions: number;
    documents: number | null;
    truncated: number;
    state: 'queued' | 'building' | 'ready' | 'failed' | 'canceled' | 'stale';
    progress: {
      phase: 'collecting' | 'embedding' | 'evaluating' | null;
      done: number;
      total: number | null;
      percent: number | null;
    };
    metrics: {
      recall_at_1: number;
      recall_at_10: number;
      recall_at_100: number;
      mrr_at_10: number;
      ndcg_at_10: number;
      queries: number;
    } | null;
    error: { code: string; message: string } | null;
    active_ms: number;
    credits: string;
    rate: { credits_per_gpu_minute: string; price_version: string };
    created_at: string;
    ready_at: string | null;
  };
  DatasetLimits: {
    max_datasets: number;
    max_examples_per_dataset: number;
    max_example_tokens: number | null;
    max_import_bytes: number;
    max_import_rows: number;
    max_versions_per_dataset: number;
    max_indexes: number;
    max_retrieval_batch: number;
    max_results_per_event: number;
    min_training_examples: number;
    used: { datasets: number; examples: number; bytes: number };
  };
  DatasetVersion: {
    id: string;
    dataset_id: string;
    number: number;
    label: string | null;
    sha256: string;
    size_bytes: number;
    example_count: number;
    split_counts: { train: number; test: number };
    token_stats: { min: number; p50: number; p95: number; max: number; total: number };
    parent_version_id: string | null;
    source: { kind: 'manual' | 'import' | 'promotion' | 'training'; id: string | null };
    used_by: { training_jobs: number; indexes: number };
    created_at: string;
  };
  EmbeddingList: {
    object: 'list';
    data: ({ object: 'embedding'; index: number; embedding: number[] | string; truncated?: true })[];
    model: string;
    usage: { prompt_tokens: number; total_tokens: number };
  };
  EmbeddingRequest: {
    model: string;
    input: string | string[];
    encoding_format?: 'float' | 'base64' | null;
    dimensions?: number | null;
    input_type?: 'query' | 'document' | null;
    truncate?: boolean | null;
  };
  Example: {
    id: string;
    dataset_id: string;
    kind: 'text' | 'embedding';
    text: {
      messages: ({
        role: 'system' | 'user' | 'assistant' | 'tool';
        content: string | null;
        reasoning_content?: string;
        tool_calls?: Record<string, unknown>[];
        weight?: number;
        tool_call_id?: string;
      })[];
      tools: Record<string, unknown>[] | null;
    } | null;
    embedding: {
      query: string;
      positives: ({ text: string; document_id: string | null })[];
      negatives: ({ text: string; document_id: string | null })[];
    } | null;
    split: 'train' | 'test';
    origin: 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';
    origin_id: string | null;
    tokens: number | null;
    valid: boolean;
    issues: ({ code: string; pointer: string; message: string; hint: string | null })[];
    content_hash: string;
    created_at: string;
    updated_at: string;
  };
  FrozenRate: { credits_per_gpu_minute: string; frozen_at: string | null; price_version: string };
  Guide: {
    name: string;
    title: string;
    markdown: string;
    headings: { level: number; text: string; anchor: string }[];
  };
  GuideEntry: {
    name: string;
    title: string;
    summary: string;
    group: 'calls' | 'accounts' | 'data' | 'operation';
  };
  GuideSection: { guide: string; title: string; heading: string; anchor: string | null; excerpt: string };
  HostedModel: {
    id: string;
    alias: string;
    display_name: string;
    source: 'alias' | 'base';
    kind: 'text' | 'embedding' | 'reranker';
    target: { type: 'base_model' | 'training_job'; id: string };
    base_model: string;
    revision: number | null;
    revision_sha256: string | null;
    enabled: boolean;
    state: 'inactive' | 'warming' | 'active' | 'failed';
    runtime: {
      status: 'cold' | 'loading' | 'ready' | 'sleeping' | 'failed';
      eta_ms: number | null;
      loaded_at: string | null;
      runs_on: string | null;
    };
    visibility: 'private' | 'shared' | 'public';
    share_count: number;
    limits: {
      max_context_tokens: number | null;
      max_input_tokens: number | null;
      max_inputs: number | null;
      request_token_budget: number | null;
    };
    dimensions: number | null;
    query_instruction: string | null;
    rate: Schemas['FrozenRate'];
    error: { code: string; message: string } | null;
    owner: Schemas['AccountName'] | null;
    created_at: string;
    updated_at: string;
    last_called_at: string | null;
  };
  Import: {
    id: string;
    dataset_id: string | null;
    dataset_name: string | null;
    kind: 'text' | 'embedding';
    state: 'awaiting_upload' | 'uploaded' | 'profiling' | 'ready' | 'importing' | 'canceling' | 'completed' | 'failed' | 'canceled' | 'expired';
    file: { name: string; size_bytes: number; received_bytes: number; sha256: string | null };
    format: string | null;
    progress: { phase: string | null; rows_done: number; rows_total: number | null; percent: number | null };
    mapping: Record<string, string | string[]> | null;
    options: {
      on_invalid: 'reject' | 'skip';
      dedupe: 'none' | 'exact';
      test_ratio: number;
      split_seed: number;
    };
    counts: { rows: number; valid: number; invalid: number; duplicates: number; over_token_limit: number };
    result: { version_id: string | null; examples_added: number; rows_skipped: number } | null;
    error: { code: string; message: string; hint: string | null; details: Record<string, unknown> } | null;
    created_by: { kind: string; id: string | null; label: string };
    created_at: string;
    updated_at: string;
    expires_at: string | null;
    finished_at: string | null;
  };
  Invitation: {
    id: string;
    email: string | null;
    role: 'user' | 'admin';
    state: 'open' | 'used' | 'expired';
    account_slug: string | null;
    created_at: string;
    expires_at: string;
  };
  IssuedKey: {
    id: string;
    name: string;
    masked_key: string;
    active: boolean;
    created_at: string;
    last_used_at: string | null;
    limits: Schemas['CallLimits'] | null;
    key: string;
  };
  Key: {
    id: string;
    name: string;
    masked_key: string;
    active: boolean;
    created_at: string;
    last_used_at: string | null;
    limits: Schemas['CallLimits'] | null;
  };
  LedgerRow: {
    id: string;
    type: 'inference' | 'training' | 'index' | 'grant' | 'purchase' | 'refund' | 'adjustment';
    credits: string;
    balance_after: string;
    project: { owner: string; slug: string } | null;
    model_requested: string | null;
    model_served: string | null;
    model_revision: number | null;
    request_id: string | null;
    training_job_id: string | null;
    attempt: number | null;
    key: { id: string; name: string } | null;
    active_ms: number | null;
    units: number | null;
    rate: string | null;
    price_version: string | null;
    prompt_tokens: number | null;
    completion_tokens: number | null;
    outcome: 'succeeded' | 'client_disconnected' | 'canceled' | null;
    note: string | null;
    created_at: string;
  };
  ListedChat: {
    id: string;
    title: string;
    model: string | null;
    system_prompt: string | null;
    params: {
      max_tokens: number;
      temperature: number;
      top_p: number;
      reasoning_effort: 'none' | 'low' | 'high' | null;
      tools: Record<string, unknown>[] | null;
      response_format: Record<string, unknown> | null;
      top_k: number | null;
      seed: number | null;
      stop: string[];
      presence_penalty: number;
      frequency_penalty: number;
    };
    message_count: number;
    last_message_at: string | null;
    archived_at: string | null;
    created_at: string;
    updated_at: string;
    match: { message_id: string; excerpt: string } | null;
  };
  ModelPull: {
    id: string;
    model: string;
    weights: boolean;
    state: 'queued' | 'running' | 'succeeded' | 'failed' | 'canceled';
    phase: 'download' | 'check' | null;
    received_bytes: number;
    total_bytes: number | null;
    bytes_per_second: number;
    note: string | null;
    error: string | null;
    base_model_id: string | null;
    created_at: string;
    updated_at: string;
  };
  Money: { amount: string; currency: string };
  OpenApiDocument: {
    openapi: string;
    info: Record<string, unknown>;
    paths: Record<string, unknown>;
    components: Record<string, unknown>;
  };
  OperationEntry: {
    operation_id: string;
    method: string;
    path: string;
    tag: string;
    summary: string;
    access: ('apiKey' | 'session')[];
    document: string;
  };
  OperatorModel: {
    id: string;
    name: string;
    kind: 'text' | 'embedding' | 'reranker';
    installed: boolean;
    from: 'shipped' | 'hub' | 'file';
    size_bytes: number | null;
    planned: {
      model: { memory_bytes: number; vram_bytes: number };
      adapters: { memory_bytes: number; vram_bytes: number };
      runs_on: string;
    } | null;
    max_context_tokens: number;
    rate: string;
    training: 'yes' | 'no' | 'file missing' | 'weights missing' | 'both missing';
    runtime: {
      status: 'cold' | 'loading' | 'ready' | 'failed';
      runs_on: string | null;
      error: string | null;
      running: number;
      waiting: number;
    };
  };
  OperatorModelDetails: {
    id: string;
    path: string | null;
    context: {
      tokens: number;
      chosen_by: 'operator' | 'memory' | 'catalogue' | 'model';
      supported_tokens: number | null;
    };
    sequences: number | null;
    kv: 'f16' | 'q8_0' | 'q4_0';
    runs_on: string | null;
    budget: { memory_bytes: number; vram_bytes: number } | null;
    options: { sequences: number; needed: { memory_bytes: number; vram_bytes: number }; fits: boolean }[];
  };
  OperatorServingRoute: {
    name: string;
    base_model_id: string;
    api: string;
    url: string;
    upstream_model: string;
    secret_source: string | null;
    capacity: number;
    weight: number;
    draining: boolean;
    vision: boolean;
    adapters_folder: string | null;
  };
  Person: {
    id: string;
    slug: string;
    email: string | null;
    email_verified: boolean;
    display_name: string;
    role: 'user' | 'admin';
    status: 'active' | 'suspended';
    can_sign_in: boolean;
    balance: string;
    reserved: string;
    created_at: string;
  };
  Price: {
    model: string;
    kind: 'text' | 'embedding' | 'reranker';
    operation: 'inference' | 'training' | 'index';
    credits_per_gpu_minute: string;
    credits_per_unit: string;
    free: boolean;
    price_version: string;
    effective_from: string;
  };
  Project: {
    id: string;
    owner: { id: string; slug: string };
    slug: string;
    name: string;
    description: string | null;
    kind: 'text' | 'embedding';
    visibility: 'private' | 'public';
    inference_auto_save: boolean;
    caller_role: 'owner' | 'shared' | 'public';
    inference_base_url: string;
    counts: {
      datasets: number;
      training_jobs: number;
      hosted_models: number;
      pending_retrieval_events: number;
    } | null;
    archived_at: string | null;
    created_at: string;
    updated_at: string;
  };
  PromotedExample: {
    id: string | null;
    dataset_id: string;
    kind: 'text' | 'embedding';
    text: {
      messages: ({
        role: 'system' | 'user' | 'assistant' | 'tool';
        content: string | null;
        reasoning_content?: string;
        tool_calls?: Record<string, unknown>[];
        weight?: number;
        tool_call_id?: string;
      })[];
      tools: Record<string, unknown>[] | null;
    } | null;
    embedding: {
      query: string;
      positives: ({ text: string; document_id: string | null })[];
      negatives: ({ text: string; document_id: string | null })[];
    } | null;
    split: 'train' | 'test';
    origin: 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';
    origin_id: string | null;
    tokens: number | null;
    valid: boolean;
    issues: ({ code: string; pointer: string; message: string; hint: string | null })[];
    content_hash: string;
    created_at: string;
    updated_at: string;
  };
  ReportedEvent: {
    query: string;
    results: ({ rank: number; text: string; document_id?: string | null; score?: number | null })[];
    judgments?: ({
      rank?: number | null;
      document_id?: string | null;
      label: 'positive' | 'negative' | 'neutral';
      signal?: 'click' | 'dwell' | 'thumb' | 'copy' | 'conversion' | 'manual' | null;
      strength?: number | null;
    })[] | null;
    external_id?: string | null;
    model?: string | null;
    index_id?: string | null;
    request_id?: string | null;
    user_ref?: string | null;
    occurred_at?: string | null;
    metadata?: Record<string, string> | null;
  };
  RequestRecord: {
    id: string;
    route: string | null;
    project: { owner: string; slug: string } | null;
    model: string | null;
    state: 'received' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'unknown';
    http_status: number | null;
    error_code: string | null;
    error_message: string | null;
    key: { id: string; name: string } | null;
    prompt_tokens: number | null;
    completion_tokens: number | null;
    first_token_ms: number | null;
    total_ms: number | null;
    active_ms: number;
    credits: string;
    created_at: string;
    finished_at: string | null;
  };
  RerankAnswer: {
    id: string;
    object: 'list';
    model: string;
    results: { index: number; relevance_score: number; document?: { text: string } }[];
    usage: { prompt_tokens: number; total_tokens: number };
  };
  RerankRequest: {
    model: string;
    query: string;
    documents: (string | { text: string })[];
    top_n?: number | null;
    return_documents?: boolean | null;
    truncate?: boolean | null;
    max_tokens_per_doc?: number | null;
    rank_fields?: null;
    max_chunks_per_doc?: null;
  };
  RetrievalEvent: {
    id: string;
    dataset_id: string;
    state: 'pending' | 'needs_judgment' | 'skipped' | 'promoted';
    external_id: string | null;
    query: string;
    model: string | null;
    index_id: string | null;
    request_id: string | null;
    user_ref: string | null;
    occurred_at: string | null;
    metadata: Record<string, string>;
    result_count: number;
    judgments: ({
      rank: number | null;
      document_id: string | null;
      label: 'positive' | 'negative' | 'neutral';
      signal: 'click' | 'dwell' | 'thumb' | 'copy' | 'conversion' | 'manual' | null;
      strength: number;
    })[];
    promotable: boolean;
    blockers: ('no_positive' | 'over_token_limit' | 'positive_equals_negative' | 'duplicate_of_example' | 'dataset_archived')[];
    query_split: 'train' | 'test' | null;
    suggested: {
      positives: number[];
      negatives: number[];
      dropped: ({
        rank: number;
        reason: 'no_positive' | 'below_last_looked_at' | 'touched_not_negative' | 'below_lowest_positive' | 'not_judged_negative' | 'same_document_as_positive' | 'score_too_high' | 'near_duplicate_of_positive' | 'over_token_limit' | 'over_max_negatives' | 'not_chosen';
      })[];
    };
    example_ids: string[];
    skipped_reason: string | null;
    created_at: string;
    updated_at: string;
    promoted_at: string | null;
  };
  RetrievalEventDetail: {
    id: string;
    dataset_id: string;
    state: 'pending' | 'needs_judgment' | 'skipped' | 'promoted';
    external_id: string | null;
    query: string;
    model: string | null;
    index_id: string | null;
    request_id: string | null;
    user_ref: string | null;
    occurred_at: string | null;
    metadata: Record<string, string>;
    result_count: number;
    judgments: ({
      rank: number | null;
      document_id: string | null;
      label: 'positive' | 'negative' | 'neutral';
      signal: 'click' | 'dwell' | 'thumb' | 'copy' | 'conversion' | 'manual' | null;
      strength: number;
    })[];
    promotable: boolean;
    blockers: ('no_positive' | 'over_token_limit' | 'positive_equals_negative' | 'duplicate_of_example' | 'dataset_archived')[];
    query_split: 'train' | 'test' | null;
    suggested: {
      positives: number[];
      negatives: number[];
      dropped: ({
        rank: number;
        reason: 'no_positive' | 'below_last_looked_at' | 'touched_not_negative' | 'below_lowest_positive' | 'not_judged_negative' | 'same_document_as_positive' | 'score_too_high' | 'near_duplicate_of_positive' | 'over_token_limit' | 'over_max_negatives' | 'not_chosen';
      })[];
    };
    example_ids: string[];
    skipped_reason: string | null;
    created_at: string;
    updated_at: string;
    promoted_at: string | null;
    results: ({ rank: number; document_id: string | null; text: string; score: number | null })[];
  };
  RetrievalSettings: {
    accepts_events: boolean;
    auto_promote: boolean;
    min_strength: number;
    negatives: {
      mode: 'explicit_only' | 'explicit_then_skipped';
      max_negatives: number;
      max_score_ratio: number;
      near_duplicate_threshold: number;
    };
    dedupe: { by: 'query+positive'; window_days: number };
    retention_days: number;
    limits: { max_batch: number; max_results: number; max_query_tokens: number | null };
    base_model: string | null;
    max_seq_length: number | null;
    query_instruction: string | null;
    updated_at: string;
  };
  Revision: {
    revision: number;
    current: boolean;
    target: { type: 'base_model' | 'training_job'; id: string };
    base_model: string;
    revision_sha256: string | null;
    rate: Schemas['FrozenRate'];
    restored_from: number | null;
    created_by: { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string } | null;
    created_at: string;
  };
  SavedCall: {
    id: string;
    key: { id: string; name: string } | null;
    model_requested: string;
    model_served: string;
    model_revision: number | null;
    finish_reason: 'stop' | 'length' | 'tool_calls';
    usage: {
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      reasoning_tokens: number;
      cached_tokens: number;
    };
    active_ms: number;
    prompt_preview: string;
    answer_preview: string;
    created_at: string;
    expires_at: string;
  };
  SavedCallDetail: {
    id: string;
    key: { id: string; name: string } | null;
    model_requested: string;
    model_served: string;
    model_revision: number | null;
    finish_reason: 'stop' | 'length' | 'tool_calls';
    usage: {
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      reasoning_tokens: number;
      cached_tokens: number;
    };
    active_ms: number;
    prompt_preview: string;
    answer_preview: string;
    created_at: string;
    expires_at: string;
    messages: Record<string, unknown>[];
    tools: Record<string, unknown>[];
    params: Record<string, unknown>;
    answer: Record<string, unknown>;
  };
  Session: { id: string; created_at: string; expires_at: string };
  Share: {
    id: string;
    account: { id: string; slug: string };
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    calls_30d: number;
  };
  SignedIn: { session: Schemas['Session']; csrf_token: string; account: Schemas['Account'] };
  ToolCall: { id: string; type?: 'function'; function: { name: string; arguments: string } };
  TrainingAttempt: {
    number: number;
    state: 'queued' | 'preparing' | 'running' | 'interrupted' | 'saving' | 'canceling' | 'succeeded' | 'failed' | 'canceled';
    resumed_from: { attempt: number; step: number } | null;
    started_at: string | null;
    finished_at: string | null;
    active_ms: number;
    billed_ms: number;
    credits: string;
    steps: number;
    error: {
      code: 'out_of_memory' | 'dataset_invalid' | 'base_model_unavailable' | 'loss_diverged' | 'time_limit' | 'worker_lost' | 'artifact_write_failed' | 'internal_error';
      message: string;
      hint: string;
      retryable: boolean;
      log_seq: number | null;
    } | null;
    checkpoints: ({
      step: number;
      loss: number | null;
      eval_loss: number | null;
      size_bytes: number;
      created_at: string;
    })[];
  };
  TrainingJob: {
    id: string;
    model_ref: string;
    name: string;
    kind: 'text' | 'embedding';
    base_model: string;
    base_revision: string;
    dataset_id: string;
    dataset_version_id: string;
    dataset_sha256: string;
    hyperparameters: Record<string, unknown>;
    evaluation: {
      test_ratio: number | null;
      every_steps: number | null;
      early_stopping_patience: number | null;
      control: { dataset_version_id: string; replay_ratio: number } | null;
    };
    deploy: { alias: string; activate: boolean } | null;
    state: 'queued' | 'preparing' | 'running' | 'interrupted' | 'saving' | 'canceling' | 'succeeded' | 'failed' | 'canceled';
    phase: string | null;
    queue_position: number | null;
    progress: {
      step: number;
      total_steps: number | null;
      epoch: number | null;
      percent: number | null;
      eta_ms: number | null;
      loss: number | null;
      eval_loss: number | null;
      tokens_seen: number;
    };
    attempt: number;
    attempts_total: number;
    cancel_requested: boolean;
    error: {
      code: 'out_of_memory' | 'dataset_invalid' | 'base_model_unavailable' | 'loss_diverged' | 'time_limit' | 'worker_lost' | 'artifact_write_failed' | 'internal_error';
      message: string;
      hint: string;
      retryable: boolean;
      log_seq: number | null;
    } | null;
    result: {
      adapter: { size_bytes: number; sha256: string; rank: number };
      metrics: Record<string, number>;
      baseline_metrics: Record<string, number> | null;
      max_input_tokens: number | null;
      check: { agreement: number; difference: number };
    } | null;
    deployed_as: string[];
    rate: { credits_per_gpu_minute: string; price_version: string };
    active_ms: number;
    billed_ms: number;
    credits: string;
    can_retry: boolean;
    retry_blocked_reason: string | null;
    created_by: { kind: string; id: string | null; label: string };
    created_at: string;
    started_at: string | null;
    finished_at: string | null;
  };
  TrainingLogLine: {
    seq: number;
    attempt: number;
    at: string;
    level: 'debug' | 'info' | 'warn' | 'error';
    source: 'system' | 'trainer';
    message: string;
    data: unknown | null;
  };
  Usage: {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    reasoning_tokens: number;
    cached_tokens: number;
    prompt_tokens_details: { cached_tokens: number };
    completion_tokens_details: { reasoning_tokens: number };
  };
  UsageGroup: {
    group: string | null;
    label: string | null;
    requests: number;
    active_ms: number;
    credits: string;
  };
};

export type Routes = {
  'GET /api/v1/projects': {
    query: {
      limit?: number;
      cursor?: string;
      q?: string;
      kind?: 'text' | 'embedding';
      archived?: boolean;
      access?: 'owned' | 'shared' | 'all';
    };
    response: { data: Schemas['Project'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects': {
    body: {
      name: string;
      slug?: string;
      kind: 'text' | 'embedding';
      description?: string | null;
      visibility?: 'private' | 'public';
      inference_auto_save?: boolean;
    };
    response: Schemas['Project'];
  };
  'GET /api/v1/projects/{owner}/{project}': { response: Schemas['Project'] };
  'PATCH /api/v1/projects/{owner}/{project}': {
    body: {
      name?: string;
      description?: string | null;
      visibility?: 'private' | 'public';
      inference_auto_save?: boolean;
      archived?: boolean;
      kind?: string;
      slug?: string;
    };
    response: Schemas['Project'];
  };
  'DELETE /api/v1/projects/{owner}/{project}': { response: null };
  'GET /api/v1/projects/{owner}/{project}/hosted-models': {
    query: {
      limit?: number;
      cursor?: string;
      source?: 'alias' | 'base';
      state?: 'inactive' | 'warming' | 'active' | 'failed';
      q?: string;
    };
    response: { data: Schemas['HostedModel'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/hosted-models': {
    body: {
      alias: string;
      target: { type: 'base_model' | 'training_job'; id: string };
      display_name?: string;
      visibility?: 'private' | 'shared' | 'public';
      activate?: boolean;
    };
    response: Schemas['HostedModel'];
  };
  'GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}': { response: Schemas['HostedModel'] };
  'PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}': {
    body: {
      display_name?: string;
      visibility?: 'private' | 'shared' | 'public';
      target?: { type: 'base_model' | 'training_job'; id: string };
    };
    response: Schemas['HostedModel'];
  };
  'PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/activate': { response: Schemas['HostedModel'] };
  'PATCH /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/deactivate': { response: Schemas['HostedModel'] };
  'GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/revisions': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['Revision'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/rollback': { body: { revision: number }; response: Schemas['HostedModel'] };
  'GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['Share'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares': { body: { account_slug: string; expires_at?: string | null }; response: Schemas['Share'] };
  'DELETE /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares/{share_id}': { response: null };
  'POST /api/v1/projects/{owner}/{project}/embeddings': { body: Schemas['EmbeddingRequest']; response: Schemas['EmbeddingList'] };
  'POST /api/v1/projects/{owner}/{project}/rerank': { body: Schemas['RerankRequest']; response: Schemas['RerankAnswer'] };
  'GET /api/v1/projects/{owner}/{project}/chats': {
    query: { limit?: number; cursor?: string; q?: string; archived?: boolean };
    response: { data: Schemas['ListedChat'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/chats': {
    body: {
      title?: string;
      model?: string | null;
      system_prompt?: string | null;
      params?: {
        max_tokens?: number | null;
        temperature?: number | null;
        top_p?: number | null;
        reasoning_effort?: 'none' | 'low' | 'high' | null;
        tools?: ({
          type: 'function';
          function: {
            name: string;
            description?: string | null;
            parameters?: Record<string, unknown> | null;
            strict?: unknown;
          };
        })[] | null;
        response_format?: { type: 'text' } | { type: 'json_object' } | {
          type: 'json_schema';
          json_schema: { name?: string; schema?: Record<string, unknown> | null };
        } | null;
        top_k?: number | null;
        seed?: number | null;
        stop?: string | string[] | null;
        presence_penalty?: number | null;
        frequency_penalty?: number | null;
      };
    };
    response: Schemas['Chat'];
  };
  'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}': { response: Schemas['Chat'] };
  'PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}': {
    body: {
      title?: string;
      model?: string | null;
      system_prompt?: string | null;
      params?: {
        max_tokens?: number | null;
        temperature?: number | null;
        top_p?: number | null;
        reasoning_effort?: 'none' | 'low' | 'high' | null;
        tools?: ({
          type: 'function';
          function: {
            name: string;
            description?: string | null;
            parameters?: Record<string, unknown> | null;
            strict?: unknown;
          };
        })[] | null;
        response_format?: { type: 'text' } | { type: 'json_object' } | {
          type: 'json_schema';
          json_schema: { name?: string; schema?: Record<string, unknown> | null };
        } | null;
        top_k?: number | null;
        seed?: number | null;
        stop?: string | string[] | null;
        presence_penalty?: number | null;
        frequency_penalty?: number | null;
      };
      archived?: boolean;
    };
    response: Schemas['Chat'];
  };
  'DELETE /api/v1/projects/{owner}/{project}/chats/{chat_id}': { response: null };
  'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['ChatMessage'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages': {
    body: {
      content?: string;
      images?: string[];
      tool_results?: { tool_call_id: string; content: string }[];
      params?: {
        max_tokens?: number | null;
        temperature?: number | null;
        top_p?: number | null;
        reasoning_effort?: 'none' | 'low' | 'high' | null;
        tools?: ({
          type: 'function';
          function: {
            name: string;
            description?: string | null;
            parameters?: Record<string, unknown> | null;
            strict?: unknown;
          };
        })[] | null;
        response_format?: { type: 'text' } | { type: 'json_object' } | {
          type: 'json_schema';
          json_schema: { name?: string; schema?: Record<string, unknown> | null };
        } | null;
        top_k?: number | null;
        seed?: number | null;
        stop?: string | string[] | null;
        presence_penalty?: number | null;
        frequency_penalty?: number | null;
      };
      stream?: boolean;
      replace_message_id?: string;
    };
    response: unknown | { user_message: Schemas['ChatMessage'] | null; message: Schemas['ChatMessage'] };
  };
  'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}': { response: Schemas['ChatMessage'] };
  'PATCH /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}': { body: { rating: 'up' | 'down' | null }; response: Schemas['ChatMessage'] };
  'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/retry': {
    body: {
      params?: {
        max_tokens?: number | null;
        temperature?: number | null;
        top_p?: number | null;
        reasoning_effort?: 'none' | 'low' | 'high' | null;
        tools?: ({
          type: 'function';
          function: {
            name: string;
            description?: string | null;
            parameters?: Record<string, unknown> | null;
            strict?: unknown;
          };
        })[] | null;
        response_format?: { type: 'text' } | { type: 'json_object' } | {
          type: 'json_schema';
          json_schema: { name?: string; schema?: Record<string, unknown> | null };
        } | null;
        top_k?: number | null;
        seed?: number | null;
        stop?: string | string[] | null;
        presence_penalty?: number | null;
        frequency_penalty?: number | null;
      };
      stream?: boolean;
    };
    response: unknown | { user_message: Schemas['ChatMessage'] | null; message: Schemas['ChatMessage'] };
  };
  'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/stop': { response: Schemas['ChatMessage'] };
  'POST /api/v1/projects/{owner}/{project}/chats/{chat_id}/messages/{message_id}/save-example': {
    body: { dataset_id: string; split?: 'train' | 'test'; content?: string };
    response: Schemas['Example'];
  };
  'GET /api/v1/projects/{owner}/{project}/chats/{chat_id}/images/{image_id}': { response: unknown };
  'GET /api/v1/projects/{owner}/{project}/saved-calls': {
    query: {
      limit?: number;
      cursor?: string;
      model?: string;
      finish_reason?: 'stop' | 'length' | 'tool_calls';
      from?: string;
      to?: string;
      q?: string;
      request_id?: string;
    };
    response: { data: Schemas['SavedCall'][]; next_cursor: string | null; total_count: number };
  };
  'DELETE /api/v1/projects/{owner}/{project}/saved-calls': {
    query: {
      model?: string;
      finish_reason?: 'stop' | 'length' | 'tool_calls';
      from?: string;
      to?: string;
      q?: string;
      all?: boolean;
    };
    response: { deleted: number };
  };
  'GET /api/v1/projects/{owner}/{project}/saved-calls/{request_id}': { response: Schemas['SavedCallDetail'] };
  'DELETE /api/v1/projects/{owner}/{project}/saved-calls/{request_id}': { response: null };
  'POST /api/v1/projects/{owner}/{project}/saved-calls/convert': {
    body: {
      dataset_id: string;
      ids?: string[];
      filter?: {
        model?: string;
        finish_reason?: 'stop' | 'length' | 'tool_calls';
        from?: string;
        to?: string;
        q?: string;
      };
      after?: string;
      limit?: number;
      split?: 'train' | 'test';
      test_ratio?: number;
      include_reasoning?: boolean;
      dry_run?: boolean;
    };
    response: {
      results: ({
        id: string;
        status: 'converted' | 'convertible' | 'already_converted' | 'duplicate' | 'rejected' | 'not_found';
        example_id: string | null;
        issues: ({ code: string; pointer: string; message: string; hint: string | null })[];
      })[];
      dry_run: boolean;
      converted: number;
      already_converted: number;
      duplicates: number;
      rejected: number;
      remaining: number;
      resume_after: string | null;
    };
  };
  'GET /api/v1/projects/{owner}/{project}/datasets/limits': { response: Schemas['DatasetLimits'] };
  'GET /api/v1/projects/{owner}/{project}/datasets': {
    query: { limit?: number; cursor?: string; q?: string; archived?: boolean };
    response: { data: Schemas['Dataset'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/datasets': {
    body: { name: string; description?: string | null; target_model?: string | null };
    response: Schemas['Dataset'];
  };
  'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}': { response: Schemas['Dataset'] };
  'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}': {
    body: { name?: string; description?: string | null; archived?: boolean; target_model?: string | null };
    response: Schemas['Dataset'];
  };
  'GET /api/v1/projects/{owner}/{project}/dataset-versions': {
    query: { limit?: number; cursor?: string; dataset_id?: string };
    response: { data: Schemas['DatasetVersion'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/versions': { body: { label?: string | null }; response: Schemas['DatasetVersion'] };
  'GET /api/v1/projects/{owner}/{project}/dataset-versions/{version_id}': { response: Schemas['DatasetVersion'] };
  'GET /api/v1/projects/{owner}/{project}/dataset-versions/{version_id}/download': { response: unknown };
  'GET /api/v1/projects/{owner}/{project}/dataset-versions/{version_id}/changes': {
    query: { limit?: number; cursor?: string; since?: string; change?: 'added' | 'removed' | 'changed' };
    response: {
      data: ({
        id: string;
        change: 'added' | 'removed' | 'changed';
        before: {
          text: {
            messages: ({
              role: 'system' | 'user' | 'assistant' | 'tool';
              content: string | null;
              reasoning_content?: string;
              tool_calls?: Record<string, unknown>[];
              weight?: number;
              tool_call_id?: string;
            })[];
            tools: Record<string, unknown>[] | null;
          } | null;
          embedding: {
            query: string;
            positives: ({ text: string; document_id: string | null })[];
            negatives: ({ text: string; document_id: string | null })[];
          } | null;
          split: 'train' | 'test';
          tokens: number | null;
        } | null;
        after: {
          text: {
            messages: ({
              role: 'system' | 'user' | 'assistant' | 'tool';
              content: string | null;
              reasoning_content?: string;
              tool_calls?: Record<string, unknown>[];
              weight?: number;
              tool_call_id?: string;
            })[];
            tools: Record<string, unknown>[] | null;
          } | null;
          embedding: {
            query: string;
            positives: ({ text: string; document_id: string | null })[];
            negatives: ({ text: string; document_id: string | null })[];
          } | null;
          split: 'train' | 'test';
          tokens: number | null;
        } | null;
      })[];
      next_cursor: string | null;
      total_count: number;
      since: string | null;
      counts: { added: number; removed: number; changed: number };
    };
  };
  'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples': {
    query: {
      limit?: number;
      cursor?: string;
      q?: string;
      version_id?: string;
      split?: 'train' | 'test';
      origin?: 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';
      valid?: boolean;
    };
    response: {
      data: Schemas['Example'][];
      next_cursor: string | null;
      total_count: number;
      total_count_is_exact: boolean;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples': {
    body: {
      examples: ({
        text?: {
          messages: ({
            role: 'system' | 'user' | 'assistant' | 'tool';
            content?: string | null;
            reasoning_content?: string;
            tool_calls?: Record<string, unknown>[];
            weight?: number;
            tool_call_id?: string;
          })[];
          tools?: Record<string, unknown>[] | null;
        };
        embedding?: {
          query: string;
          positives: ({ text: string; document_id?: string | null } | string)[];
          negatives?: ({ text: string; document_id?: string | null } | string)[];
        };
        split?: 'train' | 'test';
      })[];
      dedupe?: 'exact' | 'none';
    };
    response: {
      results: ({
        index: number;
        status: 'created' | 'duplicate' | 'rejected';
        id: string | null;
        issues: ({ code: string; pointer: string; message: string; hint: string | null })[];
      })[];
    };
  };
  'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}': { response: Schemas['Example'] };
  'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}': {
    body: {
      text?: {
        messages: ({
          role: 'system' | 'user' | 'assistant' | 'tool';
          content?: string | null;
          reasoning_content?: string;
          tool_calls?: Record<string, unknown>[];
          weight?: number;
          tool_call_id?: string;
        })[];
        tools?: Record<string, unknown>[] | null;
      };
      embedding?: {
        query: string;
        positives: ({ text: string; document_id?: string | null } | string)[];
        negatives?: ({ text: string; document_id?: string | null } | string)[];
      };
      split?: 'train' | 'test';
    };
    response: Schemas['Example'];
  };
  'DELETE /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}': { response: null };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/bulk': {
    body: {
      action: 'move' | 'delete';
      split?: 'train' | 'test';
      ids?: string[];
      filter?: {
        q?: string;
        split?: 'train' | 'test';
        origin?: 'import' | 'manual' | 'chat' | 'inference' | 'retrieval_event';
        valid?: boolean;
      };
    };
    response: { changed: number; ids: string[]; unchanged: number; missing: number; remaining: number };
  };
  'GET /api/v1/projects/{owner}/{project}/dataset-indexes': {
    query: {
      limit?: number;
      cursor?: string;
      dataset_id?: string;
      state?: 'queued' | 'building' | 'ready' | 'failed' | 'canceled' | 'stale';
    };
    response: { data: Schemas['DatasetIndex'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/dataset-indexes': { body: { version_id: string; model: string }; response: Schemas['DatasetIndex'] };
  'GET /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}': { response: Schemas['DatasetIndex'] };
  'DELETE /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}': { response: null };
  'POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/cancel': { response: Schemas['DatasetIndex'] };
  'POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/search': {
    body: { query: string; top_k?: number };
    response: {
      results: ({ rank: number; document_id: string | null; text: string; score: number })[];
      model_revision: number | null;
      usage: { prompt_tokens: number; total_tokens: number };
      credits: string;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/mine': {
    body: {
      split?: 'train' | 'test';
      limit?: number;
      after?: string;
      candidates?: number;
      max_negatives?: number;
      max_score_ratio?: number;
      dry_run?: boolean;
    };
    response: {
      results: ({
        example_id: string;
        status: 'mined' | 'full' | 'none_found' | 'changed' | 'rejected';
        negatives: ({ document_id: string | null; text: string; rank: number; score: number })[];
        too_similar: number;
      })[];
      written: number;
      next_after: string | null;
      usage: { prompt_tokens: number; total_tokens: number };
      credits: string;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/imports': {
    body: {
      dataset_id?: string;
      dataset_name?: string;
      file_name: string;
      size_bytes: number;
      format?: 'jsonl' | 'json' | 'csv' | 'tsv' | 'parquet' | 'xlsx';
      sheet?: string;
      sha256?: string;
    };
    response: {
      import: Schemas['Import'];
      upload: {
        method: string;
        url: string;
        max_bytes: number;
        accepts_ranges: boolean;
        expires_at: string | null;
      };
    };
  };
  'GET /api/v1/projects/{owner}/{project}/imports': {
    query: {
      limit?: number;
      cursor?: string;
      state?: 'awaiting_upload' | 'uploaded' | 'profiling' | 'ready' | 'importing' | 'canceling' | 'completed' | 'failed' | 'canceled' | 'expired';
      dataset_id?: string;
    };
    response: { data: Schemas['Import'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/projects/{owner}/{project}/imports/{import_id}': { response: Schemas['Import'] };
  'POST /api/v1/projects/{owner}/{project}/imports/{import_id}/profile': {
    body: {
      format?: 'jsonl' | 'json' | 'csv' | 'tsv' | 'parquet' | 'xlsx';
      sheet?: string;
      encoding?: string;
      delimiter?: string;
      sample_rows?: number;
    };
    response: Schemas['Import'];
  };
  'GET /api/v1/projects/{owner}/{project}/imports/{import_id}/profile': {
    response: {
      format: 'jsonl' | 'json' | 'csv' | 'tsv' | 'parquet' | 'xlsx';
      encoding: string | null;
      delimiter: string | null;
      gzip: boolean;
      sheet: string | null;
      sheets: string[];
      columns: { name: string; type: string; null_count: number; samples: string[] }[];
      detected_shape: 'chat' | 'prompt_completion' | 'question_answer' | 'alpaca' | 'sharegpt' | 'pair' | 'triplet' | 'unknown';
      suggested_mapping: Record<string, string | string[]> | null;
      rows: number;
      valid: number;
      invalid: number;
      token_stats: { min: number; p50: number; p95: number; max: number; total: number };
      token_histogram: { from: number; to: number; rows: number }[];
      duplicates: number;
      issues: ({
        code: 'bad_json' | 'bad_encoding' | 'missing_field' | 'wrong_type' | 'empty_text' | 'last_message_not_assistant' | 'unknown_role' | 'tool_arguments_invalid' | 'tool_unknown' | 'over_token_limit' | 'not_learnable' | 'too_large' | 'duplicate' | 'duplicate_in_file' | 'positive_equals_negative' | 'positive_missing';
        count: number;
        first_line: number;
      })[];
    };
  };
  'POST /api/v1/projects/{owner}/{project}/imports/{import_id}/preview': {
    body: {
      mapping?: Record<string, string | string[]>;
      options?: {
        on_invalid?: 'reject' | 'skip';
        dedupe?: 'none' | 'exact';
        test_ratio?: number;
        split_seed?: number;
      };
      limit?: number;
    };
    response: {
      rows: ({
        line: number;
        source: unknown;
        example: {
          text: unknown | null;
          embedding: unknown | null;
          split: string | null;
          tokens: number | null;
        } | null;
        issues: ({
          line: number;
          byte_offset: number | null;
          pointer: string;
          code: 'bad_json' | 'bad_encoding' | 'missing_field' | 'wrong_type' | 'empty_text' | 'last_message_not_assistant' | 'unknown_role' | 'tool_arguments_invalid' | 'tool_unknown' | 'over_token_limit' | 'not_learnable' | 'too_large' | 'duplicate' | 'duplicate_in_file' | 'positive_equals_negative' | 'positive_missing';
          message: string;
          hint: string | null;
          excerpt: string;
        })[];
      })[];
      counts: { rows: number; valid: number; invalid: number; duplicates: number; over_token_limit: number };
      will_import: number;
      will_skip: number;
      preview_token: string;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/imports/{import_id}/confirm': { body: { preview_token: string }; response: Schemas['Import'] };
  'GET /api/v1/projects/{owner}/{project}/imports/{import_id}/errors': {
    query: {
      limit?: number;
      cursor?: string;
      code?: 'bad_json' | 'bad_encoding' | 'missing_field' | 'wrong_type' | 'empty_text' | 'last_message_not_assistant' | 'unknown_role' | 'tool_arguments_invalid' | 'tool_unknown' | 'over_token_limit' | 'not_learnable' | 'too_large' | 'duplicate' | 'duplicate_in_file' | 'positive_equals_negative' | 'positive_missing';
    };
    response: {
      data: ({
        line: number;
        byte_offset: number | null;
        pointer: string;
        code: 'bad_json' | 'bad_encoding' | 'missing_field' | 'wrong_type' | 'empty_text' | 'last_message_not_assistant' | 'unknown_role' | 'tool_arguments_invalid' | 'tool_unknown' | 'over_token_limit' | 'not_learnable' | 'too_large' | 'duplicate' | 'duplicate_in_file' | 'positive_equals_negative' | 'positive_missing';
        message: string;
        hint: string | null;
        excerpt: string;
      })[];
      next_cursor: string | null;
      total_count: number;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/imports/{import_id}/cancel': { response: Schemas['Import'] };
  'PUT /api/v1/projects/{owner}/{project}/imports/{import_id}/content': { body: string; response: Schemas['Import'] | { received_bytes: number } };
  'GET /api/v1/projects/{owner}/{project}/retrieval-settings': { response: Schemas['RetrievalSettings'] };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events': { body: Schemas['ReportedEvent']; response: Schemas['RetrievalEventDetail'] };
  'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events': {
    query: {
      limit?: number;
      cursor?: string;
      state?: 'pending' | 'needs_judgment' | 'skipped' | 'promoted';
      q?: string;
      model?: string;
      external_id?: string;
      from?: string;
      to?: string;
    };
    response: { data: Schemas['RetrievalEvent'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/batch': {
    body: { events: Schemas['ReportedEvent'][] };
    response: {
      results: ({
        index: number;
        status: 'created' | 'duplicate' | 'rejected';
        id: string | null;
        judged: boolean;
        error: { code: string; message: string; param: string | null } | null;
      })[];
      created: number;
      duplicates: number;
      rejected: number;
    };
  };
  'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}': { response: Schemas['RetrievalEventDetail'] };
  'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/skip': { body: { reason?: string | null }; response: Schemas['RetrievalEventDetail'] };
  'PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/restore': { response: Schemas['RetrievalEventDetail'] };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/{event_id}/promote': {
    body: {
      positives?: number[];
      negatives?: number[];
      query?: string;
      split?: 'train' | 'test';
      test_ratio?: number;
      dry_run?: boolean;
    };
    response: {
      event: Schemas['RetrievalEventDetail'];
      examples: Schemas['PromotedExample'][];
      leaked_queries: number;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/retrieval-events/promote': {
    body: {
      ids?: string[];
      filter?: { q?: string; model?: string; external_id?: string; from?: string; to?: string };
      after?: string;
      limit?: number;
      split?: 'train' | 'test';
      test_ratio?: number;
      dry_run?: boolean;
    };
    response: {
      results: ({
        id: string;
        status: 'promoted' | 'promotable' | 'already_promoted' | 'rejected';
        example_ids: string[];
        blockers: ('no_positive' | 'over_token_limit' | 'positive_equals_negative' | 'duplicate_of_example' | 'dataset_archived')[];
        error: { code: string; message: string } | null;
      })[];
      dry_run: boolean;
      promoted: number;
      already_promoted: number;
      rejected: number;
      leaked_queries: number;
      remaining: number;
      resume_after: string | null;
      stopped: { code: string; message: string } | null;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/training-jobs': {
    body: {
      name?: string | null;
      base_model: string;
      dataset_id: string;
      dataset_version_id?: string | null;
      hyperparameters?: Record<string, unknown>;
      evaluation?: {
        test_ratio?: number | null;
        every_steps?: number | null;
        early_stopping_patience?: number | null;
        control?: { dataset_version_id: string; replay_ratio?: number } | null;
      };
      deploy?: { alias: string; activate: boolean };
      dry_run?: boolean;
    };
    response: {
      job: {
        name: string;
        kind: 'text' | 'embedding';
        base_model: string;
        base_revision: string;
        dataset_id: string;
        dataset_version_id: string | null;
        hyperparameters: Record<string, unknown>;
        evaluation: {
          test_ratio: number | null;
          every_steps: number | null;
          early_stopping_patience: number | null;
          control: { dataset_version_id: string; replay_ratio: number } | null;
        };
      };
      estimate: {
        active_ms: { low: number; expected: number; high: number };
        credits: { low: string; expected: string; high: string };
        basis: 'measured_step_time' | 'catalog_profile';
      };
      warnings: { code: string; message: string }[];
    } | Schemas['TrainingJob'];
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs': {
    query: {
      limit?: number;
      cursor?: string;
      state?: 'queued' | 'preparing' | 'running' | 'interrupted' | 'saving' | 'canceling' | 'succeeded' | 'failed' | 'canceled';
      base_model?: string;
      dataset_id?: string;
      q?: string;
    };
    response: { data: Schemas['TrainingJob'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}': { response: Schemas['TrainingJob'] };
  'POST /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/cancel': { body: { keep_checkpoint?: boolean }; response: Schemas['TrainingJob'] };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/retry-estimate': {
    query: { from?: 'checkpoint' | 'start' };
    response: {
      can_retry: boolean;
      blocked_reason: 'not_finished' | 'succeeded' | 'frozen_dataset_missing' | 'base_model_unavailable' | 'insufficient_credits' | null;
      from: 'checkpoint' | 'start';
      checkpoint: { attempt: number; step: number; saved_at: string } | null;
      remaining_steps: number;
      active_ms: { low: number; expected: number; high: number };
      credits: { low: string; expected: string; high: string };
      basis: 'measured_step_time' | 'catalog_profile';
      available_credits: string;
    };
  };
  'POST /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/retry': { body: { from: 'checkpoint' | 'start' }; response: Schemas['TrainingJob'] };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/attempts': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['TrainingAttempt'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/logs': {
    query: {
      limit?: number;
      cursor?: string;
      attempt?: number;
      level?: 'debug' | 'info' | 'warn' | 'error';
      after_seq?: number;
    };
    response: { data: Schemas['TrainingLogLine'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/metrics': {
    query: { attempt?: number; max_points?: number };
    response: { attempt: number; series: { name: string; points: number[][] }[] };
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/frozen-dataset': {
    query: { split?: 'train' | 'test' };
    response: {
      dataset_id: string;
      version_id: string;
      sha256: string;
      example_count: number;
      split_counts: { train: number; test: number };
      tokens: { samples: number; held_out: number; trained: number; dropped: number; not_learnable: number } | null;
      snapshot_sha256: string | null;
    };
  };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/lora': { query: { attempt?: number }; response: unknown };
  'GET /api/v1/projects/{owner}/{project}/training-jobs/{job_id}/manifest': { response: Record<string, unknown> };
  'GET /api/v1/models': {
    query: {
      limit?: number;
      cursor?: string;
      source?: 'hosted' | 'training_job' | 'base';
      kind?: 'text' | 'embedding' | 'reranker';
      state?: 'inactive' | 'warming' | 'active' | 'failed';
      project?: string;
      q?: string;
      access?: 'owned' | 'shared' | 'public' | 'all';
    };
    response: { data: Schemas['CallableModel'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/base-models': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['BaseModel'][]; next_cursor: string | null; total_count: number };
  };
  'GET /api/v1/pricing/platform': {
    response: {
      price_version: string;
      effective_from: string;
      billing_unit_ms: 100;
      minimum_units: 1;
      rounding: 'ceil_per_request';
      credit_decimals: 6;
      training: { charged_from: 'running'; never_started: 'free' };
      signup_credits: string;
      packs: { id: string; credits: string; price: Schemas['Money'] }[];
      credit_price: Schemas['Money'] | null;
      checkout_enabled: boolean;
    };
  };
  'GET /api/v1/pricing/models': {
    query: {
      limit?: number;
      cursor?: string;
      kind?: 'text' | 'embedding' | 'reranker';
      operation?: 'inference' | 'training' | 'index';
    };
    response: { data: Schemas['Price'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/pricing/estimate': {
    body: {
      operation: 'inference' | 'training';
      model?: string;
      base_model?: string;
      requests?: number;
      active_ms?: number;
      prompt_tokens?: number;
      max_tokens?: number;
      inputs?: number;
      input_tokens?: number;
      examples?: number;
      tokens?: number;
      hyperparameters?: Record<string, unknown>;
    };
    response: {
      units: { low: number; expected: number; high: number };
      active_ms: { low: number; expected: number; high: number };
      credits: { low: string; expected: string; high: string };
      rate: string;
      price_version: string;
      basis: 'exact' | 'measured' | 'catalog_profile';
      assumptions: string[];
    };
  };
  'GET /api/v1/credits': { response: Schemas['Credits'] };
  'GET /api/v1/credits/usage': {
    query: {
      limit?: number;
      cursor?: string;
      from?: string;
      to?: string;
      project?: string;
      model?: string;
      key_id?: string;
      type?: 'inference' | 'training' | 'index' | 'grant' | 'purchase' | 'refund' | 'adjustment';
    };
    response: {
      data: Schemas['LedgerRow'][];
      next_cursor: string | null;
      total_count: number;
      totals: { credits: string; active_ms: number; requests: number };
    };
  };
  'GET /api/v1/credits/usage/summary': {
    query: {
      from?: string;
      to?: string;
      group_by: 'day' | 'project' | 'model' | 'key' | 'type';
      limit?: number;
    };
    response: {
      data: Schemas['UsageGroup'][];
      groups: number;
      totals: { credits: string; active_ms: number; requests: number };
      from: string;
      to: string;
    };
  };
  'POST /api/v1/credits/checkout': {
    body: { pack_id?: string; credits?: string; success_url?: string; cancel_url?: string };
    response: Schemas['Checkout'];
  };
  'GET /api/v1/credits/checkout/{checkout_id}': { response: Schemas['Checkout'] };
  'POST /api/v1/credits/checkout/{checkout_id}/cancel': { response: Schemas['Checkout'] };
  'GET /api/v1/requests': {
    query: {
      limit?: number;
      cursor?: string;
      from?: string;
      to?: string;
      project?: string;
      model?: string;
      key_id?: string;
      state?: 'succeeded' | 'failed' | 'canceled' | 'unknown';
      error_code?: string;
      route?: string;
    };
    response: {
      data: Schemas['RequestRecord'][];
      next_cursor: string | null;
      total_count: number;
      total_count_is_exact: boolean;
    };
  };
  'GET /api/v1/requests/{request_id}': { response: Schemas['RequestRecord'] };
  'GET /api/v1/auth/options': {
    response: {
      sign_up: 'open' | 'oidc' | 'closed';
      oidc: { name: string } | null;
      password: { min_length: number; max_length: number };
    };
  };
  'POST /api/v1/auth/sign-up/email': {
    body: { email: string; password: string; slug?: string; display_name?: string };
    response: Schemas['SignedIn'];
  };
  'POST /api/v1/auth/sign-in/email': { body: { email: string; password: string }; response: Schemas['SignedIn'] };
  'POST /api/v1/auth/invitation': {
    body: { token: string };
    response: { kind: 'start' | 'account'; role: 'user' | 'admin'; email: string | null };
  };
  'POST /api/v1/auth/sign-up/invitation': {
    body: { token: string; email: string; password: string; slug?: string; display_name?: string };
    response: Schemas['SignedIn'];
  };
  'POST /api/v1/auth/sign-in/oidc': { body: { return_to?: string }; response: { url: string } };
  'GET /api/v1/auth/callback/oidc': {
    query: { code?: string; state?: string; iss?: string; error?: string; error_description?: string };
    response: null;
  };
  'GET /api/v1/auth/session': { response: Schemas['SignedIn'] };
  'POST /api/v1/auth/sign-out': { response: null };
  'POST /api/v1/auth/sign-out/everywhere': { body: { keep_current?: boolean }; response: { ended: number } };
  'GET /api/v1/auth/sessions': {
    response: {
      data: ({
        id: string;
        created_at: string;
        expires_at: string;
        last_used_at: string;
        user_agent: string | null;
        is_current: boolean;
      })[];
    };
  };
  'DELETE /api/v1/auth/sessions/{session_id}': { response: null };
  'GET /api/v1/me': { response: Schemas['Account'] };
  'PATCH /api/v1/me/profile': {
    body: { display_name?: string; avatar_url?: string | null; locale?: string };
    response: Schemas['Account'];
  };
  'POST /api/v1/me/password': { body: { current_password: string; new_password: string }; response: null };
  'POST /api/v1/account/delete': { body: { password?: string; confirmation?: string }; response: null };
  'GET /api/v1/account/export': { response: unknown };
  'GET /api/v1/keys': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['Key'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/keys': {
    body: {
      name?: string;
      limits?: {
        requests_per_minute?: number | null;
        concurrent_requests?: number | null;
        credits_per_day?: string | null;
      };
    };
    response: Schemas['IssuedKey'];
  };
  'PATCH /api/v1/keys/{key_id}/activate': { response: Schemas['Key'] };
  'PATCH /api/v1/keys/{key_id}/deactivate': { response: Schemas['Key'] };
  'DELETE /api/v1/keys/{key_id}': { response: null };
  'GET /api/v1/keys/{key_id}/limits': { response: Schemas['CallLimits'] };
  'PATCH /api/v1/keys/{key_id}/limits': {
    body: {
      requests_per_minute?: number | null;
      concurrent_requests?: number | null;
      credits_per_day?: string | null;
    };
    response: Schemas['CallLimits'];
  };
  'GET /api/v1/me/limits': { response: Schemas['AccountLimits'] };
  'PATCH /api/v1/me/limits': {
    body: {
      requests_per_minute?: number | null;
      concurrent_requests?: number | null;
      credits_per_day?: string | null;
    };
    response: Schemas['AccountLimits'];
  };
  'GET /api/v1/dashboard': { query: { window?: '24h' | '7d' | '30d' }; response: Schemas['Dashboard'] };
  'GET /api/v1/activity': {
    query: {
      limit?: number;
      cursor?: string;
      archived?: 'false' | 'true' | 'all';
      type?: 'key.created' | 'key.activated' | 'key.deactivated' | 'key.deleted' | 'account.created' | 'account.profile_updated' | 'account.password_changed' | 'account.sessions_ended' | 'project.created' | 'project.updated' | 'project.archived' | 'project.unarchived' | 'project.deleted' | 'import.ready' | 'import.completed' | 'import.failed' | 'import.canceled' | 'dataset.created' | 'dataset.archived' | 'dataset.unarchived' | 'dataset.version_created' | 'index.ready' | 'index.failed' | 'index.canceled' | 'retrieval.promoted' | 'training.started' | 'training.succeeded' | 'training.failed' | 'training.canceled' | 'training.retried' | 'training.interrupted' | 'model.created' | 'model.updated' | 'model.activated' | 'model.deactivated' | 'model.target_changed' | 'model.failed' | 'model.rolled_back' | 'share.created' | 'share.deleted' | 'credits.granted' | 'credits.purchased' | 'credits.low' | 'limits.changed';
      project?: string;
      actor_id?: string;
    };
    response: { data: Schemas['Activity'][]; next_cursor: string | null; total_count: number };
  };
  'PATCH /api/v1/activity/{activity_id}/archive': { response: Schemas['Activity'] };
  'PATCH /api/v1/activity/{activity_id}/unarchive': { response: Schemas['Activity'] };
  'POST /api/v1/activity/archive': { body: { before?: string; ids?: string[] }; response: { archived: number } };
  'GET /api/v1/guides': { response: { data: Schemas['GuideEntry'][] } };
  'GET /api/v1/guides/{guide_name}': { response: Schemas['Guide'] };
  'GET /api/v1/guide-sections': { query: { q: string }; response: { data: Schemas['GuideSection'][] } };
  'GET /api/v1/operator/accounts': {
    query: { limit?: number; cursor?: string; search?: string };
    response: { data: Schemas['Person'][]; next_cursor: string | null; total_count: number };
  };
  'PATCH /api/v1/operator/accounts/{account_id}': {
    body: { role?: 'user' | 'admin'; status?: 'active' | 'suspended' };
    response: Schemas['Person'];
  };
  'POST /api/v1/operator/accounts/{account_id}/delete': { response: null };
  'POST /api/v1/operator/accounts/{account_id}/credits': { body: { credits: string; note?: string }; response: { balance: string } };
  'GET /api/v1/operator/accounts/{account_id}/limits': { response: Schemas['AccountLimits'] };
  'PATCH /api/v1/operator/accounts/{account_id}/limits': {
    body: {
      requests_per_minute?: number | null;
      concurrent_requests?: number | null;
      credits_per_day?: string | null;
      storage_bytes?: number | null;
    };
    response: Schemas['AccountLimits'];
  };
  'GET /api/v1/operator/invitations': { response: { data: Schemas['Invitation'][] } };
  'POST /api/v1/operator/invitations': {
    body: { email?: string | null; role?: 'user' | 'admin' };
    response: { id: string; link: string; expires_at: string };
  };
  'DELETE /api/v1/operator/invitations/{invitation_id}': { response: null };
  'GET /api/v1/operator/sign-up': { response: { policy: 'closed' | 'oidc' | 'open'; credits: string } };
  'PATCH /api/v1/operator/sign-up': {
    body: { policy?: 'closed' | 'oidc' | 'open'; credits?: string };
    response: { policy: 'closed' | 'oidc' | 'open'; credits: string };
  };
  'GET /api/v1/operator/models': {
    response: {
      data: Schemas['OperatorModel'][];
      machine: {
        memory_bytes: number;
        gpu: { label: string; devices: string[]; memory_bytes: number } | null;
      };
    };
  };
  'POST /api/v1/operator/models': {
    body: {
      id: string;
      path: string;
      kind?: 'text' | 'embedding' | 'reranker';
      name?: string;
      rate?: string;
      replace?: boolean;
      context_tokens?: number | null;
      sequences?: number | null;
      kv?: 'f16' | 'q8_0' | 'q4_0';
    };
    response: {
      id: string;
      kind: 'text' | 'embedding' | 'reranker';
      max_context_tokens: number;
      warnings: string[];
    };
  };
  'GET /api/v1/operator/models/{base_model_id}': { response: Schemas['OperatorModelDetails'] };
  'PATCH /api/v1/operator/models/{base_model_id}': {
    body: { context_tokens?: number | null; sequences?: number | null; kv?: 'f16' | 'q8_0' | 'q4_0' };
    response: Schemas['OperatorModelDetails'];
  };
  'DELETE /api/v1/operator/models/{base_model_id}': { query: { force?: boolean }; response: { deleted: boolean } };
  'GET /api/v1/operator/hub/catalogue': {
    response: {
      data: ({
        id: string;
        name: string;
        kind: 'text' | 'embedding' | 'reranker';
        parameters: number;
        max_context_tokens: number;
        tools: boolean;
        license: string | null;
        rate: string;
        installed: boolean;
      })[];
    };
  };
  'GET /api/v1/operator/hub/models': {
    query: { search: string; limit?: number };
    response: {
      data: ({
        repo: string;
        downloads: number;
        likes: number;
        updated: string;
        license: string | null;
        gated: boolean;
      })[];
    };
  };
  'GET /api/v1/operator/hub/variants': {
    query: { model: string };
    response: {
      repo: string;
      kind: 'text' | 'embedding' | 'reranker';
      license: string | null;
      context_tokens: number;
      budget_bytes: number;
      variants: ({
        model: string;
        quantisation: string | null;
        size_bytes: number;
        needed_bytes: number;
        fits: boolean;
        chosen: boolean;
      })[];
    };
  };
  'GET /api/v1/operator/pulls': {
    query: { limit?: number; cursor?: string };
    response: { data: Schemas['ModelPull'][]; next_cursor: string | null; total_count: number };
  };
  'POST /api/v1/operator/pulls': {
    body: { model: string; id?: string; weights?: boolean; force?: boolean };
    response: Schemas['ModelPull'];
  };
  'GET /api/v1/operator/pulls/{pull_id}': { response: Schemas['ModelPull'] };
  'POST /api/v1/operator/pulls/{pull_id}/cancel': { response: Schemas['ModelPull'] };
  'GET /api/v1/operator/serving-routes': { response: { data: Schemas['OperatorServingRoute'][] } };
  'PUT /api/v1/operator/serving-routes/{route_name}': {
    body: {
      base_model_id: string;
      url: string;
      api?: string;
      upstream_model?: string;
      secret_env?: string;
      secret_file?: string;
      capacity?: number;
      weight?: number;
      vision?: boolean;
      adapters_folder?: string;
      adapters_seen_as?: string;
    };
    response: Schemas['OperatorServingRoute'];
  };
  'PATCH /api/v1/operator/serving-routes/{route_name}': { body: { draining: boolean }; response: Schemas['OperatorServingRoute'] };
  'DELETE /api/v1/operator/serving-routes/{route_name}': { response: null };
  'POST /api/v1/operator/serving-routes/{route_name}/test': {
    response: {
      reachable: boolean;
      status: number | null;
      latency_ms: number | null;
      models: string[] | null;
      answer: { text: string | null; dimensions: number | null; score: number | null; latency_ms: number } | null;
      error: string | null;
    };
  };
  'GET /api/v1/operator/settings': {
    response: { data: ({ name: string; value: string | null; is_default: boolean; expected: string })[] };
  };
  'GET /api/v1/operator/health': { response: { healthy: boolean; problems: string[]; notes: string[] } };
  'GET /api/v1/operator/jobs': {
    response: {
      data: ({
        id: string;
        project: string;
        name: string;
        base_model_id: string;
        state: string;
        worker: string | null;
        created_at: string;
        started_at: string | null;
        finished_at: string | null;
      })[];
      tasks: { name: string; waiting: number; active: number; failed: number }[];
    };
  };
  'GET /api/v1/operator/workers': {
    response: {
      data: ({
        id: string;
        host: string | null;
        roles: string | null;
        started_at: string;
        seen_at: string;
        calls: number;
      })[];
    };
  };
  'GET /api/v1/openapi.en.json': { response: Schemas['OpenApiDocument'] };
  'GET /api/v1/openapi.en.yaml': { response: unknown };
  'GET /api/v1/openapi.zh.json': { response: Schemas['OpenApiDocument'] };
  'GET /api/v1/openapi.zh.yaml': { response: unknown };
  'GET /api/v1/operations': {
    query: { lang?: 'en' | 'zh' };
    response: { openapi: string; version: string; operations: Schemas['OperationEntry'][] };
  };
  'GET /api/v1/operations/{operation_id}': { query: { lang?: 'en' | 'zh' }; response: Schemas['OpenApiDocument'] };
};
