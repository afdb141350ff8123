import type { Fault, TextSeal } from '#kernel';
import { type AnswerPart, CollectedAnswer, type NamedDelta, wireId } from '../../collected-answer.ts';
import type { StreamWriter, TextAnswer } from '../../protocol.ts';
import { ResponseEvents } from './events.ts';
import { type ItemMaking, type ItemStatus, outputItem, textOfItem } from './output-items.ts';
import type { ResponsesRequest } from './request.ts';
import { begun, endingOf, lacksMessage, type ResponseHead, responseBody } from './response-body.ts';
import { storedInput } from './stored-input.ts';

type How = { nowMs: number; stores: boolean; seal: TextSeal };

/** The answer to one call, in one piece or as a stream. */
export function answerResponse(request: ResponsesRequest, { nowMs, stores, seal }: How): TextAnswer {
  const { model, settings, input, wantsSealed, wantsStored } = request;
  const id = wireId('resp_');
  const store = wantsStored && stores;
  const head: ResponseHead = { id, createdAt: Math.floor(nowMs / 1000), model, store, settings };
  const making: ItemMaking = {
    responseId: id,
    tools: input.tools,
    summarises: request.wantsSummary,
    seal: wantsSealed ? seal : null,
  };
  const answer: TextAnswer = {
    callIdPrefix: 'call_',
    collect(collected, finished) {
      const parts = lacksMessage(collected.parts, finished) ? [...collected.parts, noText] : collected.parts;
      const ending = endingOf(finished);
      const items = parts.map((part, index) =>
        outputItem(part, index, making, index === parts.length - 1 ? ending.status : 'completed'),
      );
      return responseBody(head, ending, items);
    },
    stream: () => writeStream(head, making),
  };
  if (!store) return answer;
  const { previousId } = input;
  const items = storedInput(input.items, id);
  return { ...answer, stored: (body) => ({ id, previousId, model, input: items, body }) };
}

const noText: AnswerPart = { type: 'content', text: '' };

function writeStream(head: ResponseHead, making: ItemMaking): StreamWriter {
  const events = new ResponseEvents(responseBody(head, begun, []));
  const answer = new CollectedAnswer();

  /** null: there is none yet. */
  const itemAt = (index: number, status: ItemStatus) => {
    const part = answer.parts[index];
    return part === undefined ? null : outputItem(part, index, making, status);
  };
  const close = (index: number, status: ItemStatus) => {
    const item = itemAt(index, status);
    return item === null ? '' : events.close(item);
  };
  const open = (part: AnswerPart, index: number) => {
    const item = outputItem(part, index, making, 'in_progress');
    const text = textOfItem(item);
    return events.open(item) + (text === '' ? '' : events.delta(text));
  };

  return {
    begin: () => events.begin(),
    delta(delta: NamedDelta): string {
      const count = answer.parts.length;
      answer.add(delta);
      const part = answer.parts[count];
      if (part !== undefined) return close(count - 1, 'completed') + open(part, count);
      return delta.type !== 'tool_call' && delta.text !== '' ? events.delta(delta.text) : '';
    },
    end(finished) {
      const ending = endingOf(finished);
      const count = answer.parts.length;
      if (!lacksMessage(answer.parts, finished)) return close(count - 1, ending.status) + events.end(ending);
      const message = outputItem(noText, count, making, ending.status);
      return close(count - 1, 'completed') + open(noText, count) + events.close(message) + events.end(ending);
    },
    fail({ row, message, options }: Fault) {
      const error = { type: row.type, code: row.code, message, param: options.param ?? null };
      return events.fail(itemAt(answer.parts.length - 1, 'incomplete'), error);
    },
  };
}
