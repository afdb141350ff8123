import { type Said, said } from '../contract.ts';

/** What holds for every operation: the first chapter of the document and of the reference. Texts are Markdown. */
export type Section = { id: string; title: Said; text: Said };

const section = (id: string, english: string, chinese: string, text: Said): Section => ({
  id,
  title: said(english, chinese),
  text,
});

export const introduction: readonly Section[] = [
  section(
    'addresses',
    'Addresses and versions',
    '地址与版本',
    said(
      `Every path begins with its version: \`/api/v1/...\` for everything that is managed, \`/api/projects/{owner}/{project}/openai/v1/...\` for calls of models in the shape of the OpenAI API.

Within v1 changes only add: operations, optional request fields, response fields. Ignore response fields that you do not know. A breaking change would be a new major version beside this one. A retired path answers 410 with code \`api_version_required\`, its successor in \`detail.successor\` and in the \`Link\` header.`,
      `每个路径都带有版本号：管理类接口为 \`/api/v1/...\`，与 OpenAI API 兼容的模型调用为 \`/api/projects/{owner}/{project}/openai/v1/...\`。

v1 内只做增量变更：新的操作、新的可选请求字段、新的响应字段。请忽略不认识的响应字段。不兼容的变更将以新的主版本与当前版本并行提供。已停用的路径返回 410，代码为 \`api_version_required\`，替代路径位于 \`detail.successor\` 和 \`Link\` 标头。`,
    ),
  ),
  section(
    'authentication',
    'Authentication',
    '认证',
    said(
      `Send an API key with every request: \`Authorization: Bearer fnf_...\`. A key belongs to an account and works with every project that the account may access. A deactivated or deleted key stops working at once. Routes under \`/api/projects/{owner}/{project}/anthropic\` also take it as \`x-api-key\`.

Operations under \`/api/v1\` also take the session of a signed-in browser; then every request other than GET needs the header \`x-fnf-csrf\` with the \`csrf_token\` of \`GET /api/v1/auth/session\`. When both are sent, the key counts. Operations marked public need neither.

Private objects of other accounts answer 404, as if they did not exist.`,
      `每次请求都须携带 API 密钥：\`Authorization: Bearer fnf_...\`。密钥属于账户，可用于该账户有权访问的所有项目。停用或删除密钥后立即失效。\`/api/projects/{owner}/{project}/anthropic\` 下的接口也接受以 \`x-api-key\` 发送的密钥。

\`/api/v1\` 下的操作也接受已登录浏览器的会话；此时除 GET 外的请求都必须带有 \`x-fnf-csrf\` 标头，其值取自 \`GET /api/v1/auth/session\` 的 \`csrf_token\`。两者同时存在时以密钥为准。标为公开的操作无需认证。

他人的私有对象一律返回 404，如同不存在。`,
    ),
  ),
  section(
    'errors',
    'Errors',
    '错误',
    said(
      `Every error is JSON with the object \`error\`. Decide by \`error.code\`: codes never change their meaning. \`error.message\` is for people, \`error.param\` names the field at fault. Compatible routes use the envelope of the OpenAI family, or of Anthropic under \`/api/projects/{owner}/{project}/anthropic\`, where 422 is 400 and 503 is 529; all others add \`request_id\` and \`details\`. Status 422 and 410 carry a \`detail\` beside \`error\`.

Every answer has the header \`x-request-id\`. Name it when you ask for help.`,
      `所有错误都是带有 \`error\` 对象的 JSON。请依据 \`error.code\` 判断：代码的含义永不改变。\`error.message\` 供人阅读，\`error.param\` 指出有误的字段。兼容接口使用 OpenAI 的错误格式，\`/api/projects/{owner}/{project}/anthropic\` 下则使用 Anthropic 的格式（422 变为 400，503 变为 529）；其他接口另有 \`request_id\` 和 \`details\`。状态 422 和 410 在 \`error\` 之外还带有 \`detail\`。

每个响应都带有 \`x-request-id\` 标头，寻求帮助时请提供。`,
    ),
  ),
  section(
    'retries',
    'Retries',
    '重试',
    said(
      `- Retry by yourself only after \`model_warming\`, and wait for the time in \`Retry-After\`.
- Never blindly retry \`ambiguous_transport\`: the request may have been served and charged.
- Do not send an unchanged request again after \`invalid_request\`.
- A failed request is not charged.`,
      `- 仅在收到 \`model_warming\` 时自动重试，并等待 \`Retry-After\` 指定的时间。
- 切勿盲目重试 \`ambiguous_transport\`：请求可能已被执行并计费。
- 收到 \`invalid_request\` 后，不要原样重发请求。
- 失败的请求不计费。`,
    ),
  ),
  section(
    'pages',
    'Pages',
    '分页',
    said(
      `Lists answer \`{data, next_cursor, total_count}\`. \`limit\` is 25 by default and 100 at most. Pass \`next_cursor\` as \`cursor\` to get the next page; null means that there is none. A cursor belongs to its list, its account or project and its filters: after changing a filter, start from the first page. Reused elsewhere it is 400 \`invalid_cursor\`.`,
      `列表返回 \`{data, next_cursor, total_count}\`。\`limit\` 默认 25，最大 100。将 \`next_cursor\` 作为 \`cursor\` 传入以获取下一页；为 null 表示没有下一页。游标属于特定的列表、账户或项目以及筛选条件：更改筛选条件后请从第一页开始。在别处使用会返回 400 \`invalid_cursor\`。`,
    ),
  ),
  section(
    'writes',
    'Writing',
    '写入',
    said(
      `Bodies are JSON in UTF-8, not compressed, and at most 1 MiB unless the operation says otherwise. PATCH changes the fields that are sent. Unknown fields are ignored; under \`/api/v1\` their names come back in the header \`x-fnf-ignored-fields\`. Setting a state that already holds succeeds and changes nothing.

A value of the wrong JSON type and a missing field are 422; a value that is not allowed is 400.

Operations that take \`Idempotency-Key\` run once for each key: within 24 hours the same request gets the stored answer, with the header \`Idempotent-Replay: true\`.`,
      `请求体为 UTF-8 编码的 JSON，不得压缩；除非操作另有说明，大小不超过 1 MiB。PATCH 只修改所发送的字段。未知字段会被忽略；在 \`/api/v1\` 下，其名称通过 \`x-fnf-ignored-fields\` 标头返回。设置为已处于的状态会成功且不产生任何变化。

JSON 类型错误或缺少字段返回 422；值不被允许返回 400。

支持 \`Idempotency-Key\` 的操作对每个键只执行一次：24 小时内相同的请求会得到已保存的响应，并带有 \`Idempotent-Replay: true\` 标头。`,
    ),
  ),
  section(
    'values',
    'Values',
    '值的格式',
    said(
      `- Ids are opaque text with a prefix that tells their kind, such as \`key_\`.
- Times are RFC 3339 in UTC with milliseconds; compatible routes use Unix seconds, as OpenAI does.
- Credits are text with exactly six decimals, such as \`"0.000050"\`; do not read them as floating point.
- Durations are whole milliseconds.`,
      `- ID 是不透明文本，前缀表明其类型，例如 \`key_\`。
- 时间采用 RFC 3339 格式的 UTC 时间，精确到毫秒；兼容接口与 OpenAI 一致，使用 Unix 秒。
- 额度是恰好六位小数的文本，例如 \`"0.000050"\`；请勿按浮点数读取。
- 时长为整数毫秒。`,
    ),
  ),
];
