import { type Finished, messageToWire, toolChoiceToWire, toolToWire } from '#engine';
import { foldText, storable } from '#kernel';
import type { ServedModel } from '#models';
import type { Admitted } from './admission.ts';
import { assistantMessage, CollectedAnswer, type NamedDelta } from './collected-answer.ts';
import type { TextRequest } from './model-request.ts';
import type { NewSavedCall } from './saved-calls.store.ts';

export type RecordedInput = Pick<TextRequest, 'prompt' | 'sampling'>;

/** A complete answer. */
export type Completed = Finished & { reason: NewSavedCall['finishReason'] };

/** The call that is saved. */
export type SavedCallSource = { request: { id: string }; admitted: Admitted; model: ServedModel };

/** Gathers what a call answers, and makes what is saved of it. */
export function createRecord(call: SavedCallSource, input: RecordedInput) {
  const collected = new CollectedAnswer();
  return {
    add: (delta: NamedDelta): void => collected.add(delta),
    of: ({ reason, usage, activeMs }: Completed): NewSavedCall => {
      const { admitted, model } = call;
      const answer = assistantMessage(collected);
      const text = collected.textOf('content');
      const spoken = input.prompt.messages.map(({ content }) => content);
      return {
        requestId: call.request.id,
        projectId: admitted.project.id,
        accountId: admitted.accountId,
        keyId: admitted.key?.id ?? null,
        keyName: admitted.key?.name ?? null,
        modelRequested: model.requested,
        modelServed: model.baseModel.id,
        modelRevision: model.revision,
        messages: JSON.stringify(input.prompt.messages.map(messageToWire)),
        tools: JSON.stringify(input.prompt.tools.map(toolToWire)),
        params: JSON.stringify(paramsToWire(input)),
        answer: JSON.stringify(answer),
        finishReason: reason,
        ...usage,
        activeMs,
        promptPreview: previewOf(input.prompt.messages.findLast(({ role }) => role === 'user')?.content ?? ''),
        answerPreview: previewOf(text),
        searchText: storable(foldText([...spoken, text].join('\n').slice(0, searchedCharacters))),
      };
    },
  };
}

const searchedCharacters = 20_000;
const previewCharacters = 200;

function previewOf(text: string): string {
  return storable([...text.slice(0, 2 * previewCharacters)].slice(0, previewCharacters).join(''));
}

function paramsToWire({ prompt, sampling }: RecordedInput): Record<string, unknown> {
  const { toolChoice, responseFormat } = prompt;
  return {
    max_tokens: sampling.maxTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    ...(sampling.topK == null ? {} : { top_k: sampling.topK }),
    ...(sampling.minP === undefined ? {} : { min_p: sampling.minP }),
    ...(sampling.repetitionPenalty === undefined ? {} : { repetition_penalty: sampling.repetitionPenalty }),
    ...(sampling.logitBias === undefined
      ? {}
      : { logit_bias: Object.fromEntries(sampling.logitBias.map(({ token, bias }) => [token, bias])) }),
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: sampling.seed,
    stop: sampling.stop,
    reasoning_effort: prompt.reasoningEffort,
    response_format:
      responseFormat.type === 'json_schema'
        ? { type: 'json_schema', json_schema: { schema: responseFormat.schema } }
        : responseFormat,
    tool_choice: toolChoiceToWire(toolChoice),
    parallel_tool_calls: prompt.parallelToolCalls,
  };
}
