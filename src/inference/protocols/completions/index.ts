import type { Finished } from '#engine';
import { openAiErrors } from '#http';
import { fault } from '#kernel';
import { type CollectedAnswer, wireId } from '../../collected-answer.ts';
import type { Protocol, TextCall } from '../../protocol.ts';
import { type AnswerHead, usageToWire } from '../chat-completions/index.ts';
import { readCompletionRequest } from './completion-request.ts';
import { completionsContract } from './completions.contract.ts';

/** POST P/completions: the legacy route, one prompt, one answer, never streamed. */
const completionCall: TextCall = {
  kind: 'text',
  path: '/openai/v1/completions',
  operation: 'completions.create',
  contract: completionsContract,
  read: readCompletionRequest,
  /** What is wrong with the messages is so with the prompt that they were made of. */
  reword: (problem) =>
    problem.options.param === 'messages' ? fault(problem.fault, { ...problem.options, param: 'prompt' }) : problem,
  answer({ model }, { nowMs }) {
    const head = { id: wireId('cmpl-'), created: Math.floor(nowMs / 1000), model };
    return {
      callIdPrefix: 'call_',
      collect: (answer, finished) => textCompletion(head, answer, finished),
      stream: neverStreams,
    };
  },
  replay: neverStreams,
};

function neverStreams(): never {
  throw new Error('Legacy completions are not streamed. This is a bug.');
}

/** The body of a legacy completion: visible text only; reasoning has no field here but is counted. */
export function textCompletion(head: AnswerHead, answer: CollectedAnswer, finished: Finished) {
  const choice = { text: answer.textOf('content'), index: 0, logprobs: null, finish_reason: finished.reason };
  return {
    id: head.id,
    object: 'text_completion',
    created: head.created,
    model: head.model,
    choices: [choice],
    usage: usageToWire(finished.usage),
  };
}

export const completions: Protocol = { name: 'completions', errors: openAiErrors, calls: [completionCall] };
