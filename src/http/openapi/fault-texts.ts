import { type Said, said } from '../contract.ts';

/** When a fault of the catalogue occurs and what the caller can do, for the published contract. */
export type FaultText = { when: Said; remedy: Said };

const text = (when: Said, remedy: Said): FaultText => ({ when, remedy });

/** One text per row of the catalogue, by the name of its condition; a test compares both. */
export const faultTexts: Record<string, FaultText> = {
  invalid_request: text(
    said(
      'A value is not allowed, the body is not JSON, or a limit is exceeded. `param` names the field.',
      '某个值不被允许、请求体不是 JSON，或超出了限制。`param` 指出具体字段。',
    ),
    said('Change the request; the same one fails again.', '修改请求；原样重发仍会失败。'),
  ),
  invalid_shape: text(
    said(
      'A value has the wrong type, or a required field is missing. `detail` lists the places.',
      '某个值类型错误，或缺少必填字段。`detail` 列出具体位置。',
    ),
    said('Correct the fields.', '更正这些字段。'),
  ),
  invalid_cursor: text(
    said(
      'The cursor belongs to another list, account or filter, or was changed.',
      '游标属于其他列表、账户或筛选条件，或已被改动。',
    ),
    said('Start again from the first page.', '从第一页重新开始。'),
  ),
  context_length_exceeded: text(
    said(
      'The input, or the input with the tokens of the answer, exceeds the context of the model.',
      '输入，或输入与回答的词元数之和，超过模型的上下文长度。',
    ),
    said(
      'Send fewer items or tools, or a smaller `max_output_tokens`; `truncation` `auto` leaves the oldest turns out.',
      '减少条目或工具，或调小 `max_output_tokens`；`truncation` 设为 `auto` 会略去最早的轮次。',
    ),
  ),
  previous_response_not_found: text(
    said(
      'The response that this one follows, or one before it, was not stored, or is gone.',
      '所接续的回答或更早的回答未被存储，或已不存在。',
    ),
    said('Send what was said before in `input`.', '在 `input` 中发送先前的内容。'),
  ),
  invalid_credentials: text(
    said(
      'The key is missing, malformed, unknown, deactivated or deleted, or the session has ended. One code for all of them, so that the state of a key does not leak.',
      '密钥缺失、格式错误、未知、已停用或已删除，或会话已结束。所有情形使用同一代码，以免泄露密钥状态。',
    ),
    said(
      'Send `Authorization: Bearer fnf_...` with an active key, or sign in.',
      '使用有效密钥发送 `Authorization: Bearer fnf_...`，或重新登录。',
    ),
  ),
  insufficient_credits: text(
    said(
      'The account cannot cover the most that this call could cost. `details` has the amounts.',
      '账户额度不足以支付本次调用可能产生的最高费用。原生接口的 `details` 给出具体金额。',
    ),
    said('Add credits, or lower `max_tokens`.', '充值，或调低 `max_tokens`。'),
  ),
  owner_required: text(
    said(
      'Somebody other than the owner changes a project or calls a base model.',
      '非所有者试图修改项目或调用基础模型。',
    ),
    said('Call a hosted model, or ask the owner.', '改为调用托管模型，或联系所有者。'),
  ),
  session_required: text(
    said('This needs a signed-in person, not an API key.', '此操作需要登录会话，不能使用 API 密钥。'),
    said('Sign in as a person.', '以用户身份登录。'),
  ),
  invalid_password: text(
    said(
      'A change of password with a wrong current password. The session stays.',
      '修改密码时提供的当前密码不正确。会话不受影响。',
    ),
    said('Enter the current password.', '输入正确的当前密码。'),
  ),
  account_suspended: text(
    said('The operator has suspended the account.', '运营方已暂停该账户。'),
    said('Ask the operator.', '联系运营方。'),
  ),
  forbidden: text(
    said('The caller is known but may not do this.', '调用者身份已确认，但无权执行此操作。'),
    said('Do not repeat it.', '请勿重试。'),
  ),
  not_found: text(
    said('Nothing is here, or the object belongs to somebody else.', '此处没有内容，或对象属于他人。'),
    said('Check the path and the id.', '检查路径和 ID。'),
  ),
  project_not_found: text(
    said('The project does not exist or is not visible to the account.', '项目不存在，或对该账户不可见。'),
    said('Check owner and project in the base URL.', '检查基础 URL 中的所有者和项目。'),
  ),
  model_not_found: text(
    said(
      'The model is unknown, inactive, or a training job that has not finished.',
      '模型未知、未启用，或是尚未完成的训练任务。',
    ),
    said('Take an id from the list of models.', '从模型列表中选取 ID。'),
  ),
  artifact_not_found: text(
    said('The file that a record stands for was removed or never written.', '记录所对应的文件已被删除或从未写入。'),
    said('Make it again, or ask the operator.', '重新生成，或联系运营方。'),
  ),
  model_not_installed: text(
    said('The catalogue lists the model, but its file is not on this machine.', '目录中有该模型，但本机没有其文件。'),
    said('Run the command in the message.', '运行消息中给出的命令。'),
  ),
  method_not_allowed: text(
    said('The path exists, but not for this method.', '路径存在，但不支持该方法。'),
    said('Use a method from the `Allow` header.', '使用 `Allow` 标头中列出的方法。'),
  ),
  request_timeout: text(
    said('The header or the body arrived too slowly. Nothing was run.', '请求标头或请求体传输过慢。未执行任何操作。'),
    said('Send it again, faster.', '以更快的速度重新发送。'),
  ),
  state_conflict: text(
    said('The object is in a state that does not allow this.', '对象当前的状态不允许此操作。'),
    said('Read the object, then decide.', '先读取对象，再做决定。'),
  ),
  conflict: text(
    said(
      'A retrieval event has this `external_id` already and says something else.',
      '已有检索事件使用此 `external_id`，且内容不同。',
    ),
    said('Send judgments only, or use another `external_id`.', '只补充判断，或改用其他 `external_id`。'),
  ),
  slug_taken: text(
    said('An account or a project has this slug already.', '该标识已被其他账户或项目占用。'),
    said('Choose another slug.', '换一个标识。'),
  ),
  email_taken: text(
    said('An account has this e-mail address already.', '该邮箱地址已被其他账户使用。'),
    said('Sign in, or use another address.', '直接登录，或换一个邮箱地址。'),
  ),
  alias_taken: text(
    said('A hosted model of the project has this alias already.', '项目中已有托管模型使用此别名。'),
    said('Choose another alias.', '换一个别名。'),
  ),
  kind_mismatch: text(
    said('A text model in an embedding project, or the other way round.', '在嵌入项目中使用文本模型，或相反。'),
    said('Use a project of the right kind.', '使用类型相符的项目。'),
  ),
  in_use: text(
    said(
      'Something that still runs needs the object. `details` tells what.',
      '仍有运行中的任务需要该对象。`details` 说明具体情况。',
    ),
    said('Wait for it, or cancel it.', '等待其结束，或将其取消。'),
  ),
  idempotency_conflict: text(
    said(
      'The account used this `Idempotency-Key` within a day for another path or body.',
      '该账户在一天内已将此 `Idempotency-Key` 用于其他路径或请求体。',
    ),
    said('Use a new key for a new request.', '新的请求请使用新的键。'),
  ),
  idempotency_in_progress: text(
    said(
      'The first request with this `Idempotency-Key` has not ended.',
      '使用此 `Idempotency-Key` 的首个请求尚未结束。',
    ),
    said('Send it again with the same key, after a moment.', '稍后用相同的键重新发送。'),
  ),
  embeddings_not_enabled: text(
    said('An embedding call, or search feedback, in a text project.', '在文本项目中发起嵌入调用或提交检索反馈。'),
    said('Use an embedding project.', '改用嵌入项目。'),
  ),
  api_version_required: text(
    said(
      'The path is retired. `detail.successor` and the `Link` header name its successor.',
      '路径已停用。`detail.successor` 和 `Link` 标头给出替代路径。',
    ),
    said('Call the successor.', '调用替代路径。'),
  ),
  payload_too_large: text(
    said(
      'The body is too large: more than 1 MiB, or than the operation says.',
      '请求体过大：超过 1 MiB 或该操作的上限。',
    ),
    said('Send less.', '减小请求体。'),
  ),
  unsupported_media_type: text(
    said('The body is not `application/json`, or it is compressed.', '请求体不是 `application/json`，或经过压缩。'),
    said('Send plain JSON in UTF-8.', '发送未压缩的 UTF-8 JSON。'),
  ),
  ambiguous_transport: text(
    said(
      'The connection to the model broke and the outcome is unknown: the request may have been served and charged.',
      '与模型的连接中断，结果未知：请求可能已被执行并计费。',
    ),
    said('Find out whether it was served before you send it again.', '重新发送之前，先查明请求是否已被执行。'),
  ),
  rate_limited: text(
    said(
      'A limit of the key or the account is reached, or there were too many tries in a span of time, of passwords above all. `RateLimit-Limit`, `-Remaining` and `-Reset` say more.',
      '已达到密钥或账户的限制，或一段时间内尝试次数过多（尤其是密码尝试）。`RateLimit-Limit`、`-Remaining` 和 `-Reset` 给出详细信息。',
    ),
    said(
      'Wait for the time in `Retry-After`; when a limit of credits is reached, for that in `RateLimit-Reset`.',
      '等待 `Retry-After` 指定的时间；达到额度限制时，等待 `RateLimit-Reset` 指定的时间。',
    ),
  ),
  headers_too_large: text(
    said('The header fields exceed 16 KiB.', '请求标头超过 16 KiB。'),
    said('Send fewer or shorter fields.', '减少或缩短标头。'),
  ),
  internal_error: text(
    said('A defect on our side; the log has it under the request id.', '服务端缺陷；日志中可按请求 ID 查到。'),
    said('Report the request id.', '报告请求 ID。'),
  ),
  generation_failed: text(
    said(
      'The model stopped while generating. In a stream this is the last frame, without `[DONE]`. It was not charged.',
      '模型在生成过程中停止。流式响应中这是最后一帧，其后没有 `[DONE]`。未计费。',
    ),
    said('Send it again if you wish.', '如有需要可重新发送。'),
  ),
  model_warming: text(
    said('The model is being loaded.', '模型正在加载。'),
    said('Send it again after the time in `Retry-After`.', '等待 `Retry-After` 指定的时间后重新发送。'),
  ),
  capacity_unavailable: text(
    said("The model's queue is full, or an answer would come too late.", '模型队列已满，或无法及时给出响应。'),
    said('Send less at once; try later.', '降低并发；稍后再试。'),
  ),
  service_unavailable: text(
    said(
      'The database cannot be reached, the disk is full, or the service is stopping.',
      '无法连接数据库，磁盘已满，或服务正在停止。',
    ),
    said('Try later.', '稍后再试。'),
  ),
};
