import type { Fault } from '#kernel';
import { type AnswerPart, CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import type { StreamWriter, TextAnswer } from '../../protocol.ts';
import { wireId } from '../../wire-id.ts';
import { ResponseEvents } from './events.ts';
import { type ItemMaking, type ItemStatus, outputItem } from './output-items.ts';
import type { ResponsesRequest } from './request.ts';
import { begun, endingOf, failed, lacksMessage, type ResponseHead, responseBody } from './response-body.ts';
import type { ReasoningSeal } from './sealed-reasoning.ts';
import { storedInput } from './stored-input.ts';

type How = { nowMs: number; stores: boolean; seal: ReasoningSeal };

/** The answer to one call, in one piece or as a stream. */
export function answerResponse(wanted: ResponsesRequest, { nowMs, stores, seal }: How): TextAnswer {
  const { model, settings, asked, wantsSealed, wantsStored } = wanted;
  const id = wireId('resp_');
  const store = wantsStored && stores;
  const head: ResponseHead = { id, createdAt: Math.floor(nowMs / 1000), model, store, settings };
  const making: ItemMaking = {
    ...{ responseId: id, tools: asked.tools, summarises: wanted.wantsSummary },
    seal: wantsSealed ? seal : null,
  };
  const answer: TextAnswer = {
    callIdPrefix: 'call_',
    collect(collected, finished) {
      const parts = lacksMessage(collected.parts, finished) ? [...collected.parts, noText] : collected.parts;
      return responseBody(head, endingOf(parts, finished, making));
    },
    stream: () => writeStream(head, making),
  };
  if (!store) return answer;
  const { previousId } = asked;
  const input = storedInput(asked.items, id);
  return { ...answer, stored: (body) => ({ id, previousId, model, input, body }) };
}

const noText: AnswerPart = { type: 'content', text: '' };

function writeStream(head: ResponseHead, making: ItemMaking): StreamWriter {
  const events = new ResponseEvents();
  const answer = new CollectedAnswer();

  const itemAt = (part: AnswerPart, index: number, status: ItemStatus) => outputItem(part, index, making, status);
  const open = (part: AnswerPart, index: number) => events.open(itemAt(part, index, 'in_progress'), index);
  /** Closes the item that is written; there is none before the first. */
  const close = (index: number, status: ItemStatus) => {
    const part = answer.parts[index];
    return part === undefined ? '' : events.close(itemAt(part, index, status), index);
  };

  return {
    begin: () => events.begin(responseBody(head, begun)),
    delta(delta: NamedDelta): string {
      const before = answer.parts.length;
      answer.add(delta);
      const text = delta.type === 'tool_call' ? null : delta.text;
      if (answer.parts.length === before) return text ? events.delta(text) : '';
      const part = answer.parts[before];
      if (part === undefined) return '';
      const opened = close(before - 1, 'completed') + open(part, before);
      return opened + events.delta(text ?? callText(part, before));
    },
    end(finished) {
      const { parts } = answer;
      const last = parts.length - 1;
      const adds = lacksMessage(parts, finished);
      const all = adds ? [...parts, noText] : parts;
      const ending = endingOf(all, finished, making);
      const lastStatus = ending.status === 'completed' ? 'completed' : 'incomplete';
      const closed = close(last, adds ? 'completed' : lastStatus);
      const added = adds ? open(noText, last + 1) + events.close(itemAt(noText, last + 1, lastStatus), last + 1) : '';
      return closed + added + events.end(responseBody(head, ending));
    },
    fail(problem: Fault) {
      const { row, message, options } = problem;
      const error = { type: row.type, code: row.code, message, param: options.param ?? null };
      return events.fail(responseBody(head, failed(answer.parts, making, { code: row.code, message })), error);
    },
  };

  function callText(part: AnswerPart, index: number): string {
    const item = itemAt(part, index, 'in_progress');
    return item.type === 'custom_tool_call' ? item.input : item.type === 'function_call' ? item.arguments : '';
  }
}
