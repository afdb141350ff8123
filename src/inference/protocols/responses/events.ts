import { eventData } from '#http';
import { type OutputItem, opening, outputText, textOfItem } from './output-items.ts';
import { begun, type ResponseBody } from './response-body.ts';

/** How the text of a kind of item is streamed. */
type Form = {
  delta: string;
  done: string;
  /** Name of the whole text where it is done. */
  whole: 'text' | 'arguments' | 'input';
  /** Beside the place of the item. */
  place: string;
  /** Beside the text. */
  beside: string;
  /** The part of the item that holds the text; null: the item itself does. */
  part: { added: string; done: string; of: (text: string) => object } | null;
};

const content = (of: (text: string) => object) => ({
  added: 'response.content_part.added',
  done: 'response.content_part.done',
  of,
});

const forms = {
  message: {
    delta: 'response.output_text.delta',
    done: 'response.output_text.done',
    whole: 'text',
    place: ',"content_index":0',
    beside: ',"logprobs":[]',
    part: content(outputText),
  },
  reasoning: {
    delta: 'response.reasoning_text.delta',
    done: 'response.reasoning_text.done',
    whole: 'text',
    place: ',"content_index":0',
    beside: '',
    part: content((text) => ({ type: 'reasoning_text', text })),
  },
  summary: {
    delta: 'response.reasoning_summary_text.delta',
    done: 'response.reasoning_summary_text.done',
    whole: 'text',
    place: ',"summary_index":0',
    beside: '',
    part: {
      added: 'response.reasoning_summary_part.added',
      done: 'response.reasoning_summary_part.done',
      of: (text) => ({ type: 'summary_text', text }),
    },
  },
  function_call: {
    delta: 'response.function_call_arguments.delta',
    done: 'response.function_call_arguments.done',
    whole: 'arguments',
    place: '',
    beside: '',
    part: null,
  },
  custom_tool_call: {
    delta: 'response.custom_tool_call_input.delta',
    done: 'response.custom_tool_call_input.done',
    whole: 'input',
    place: '',
    beside: '',
    part: null,
  },
} as const satisfies Record<string, Form>;

const formOf = (item: OutputItem): Form =>
  forms[item.type === 'reasoning' && item.content === undefined ? 'summary' : item.type];

/** The events of one response, in order. */
export class ResponseEvents {
  #sequence = 0;
  #deltaStart = '';
  #deltaPlace = '';

  #event(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++}${fields}}\n\n`;
  }

  #response(type: string, body: object): string {
    return this.#event(type, `,"response":${eventData(body)}`);
  }

  begin(body: object): string {
    return this.#response('response.created', body) + this.#response('response.in_progress', body);
  }

  /** An item comes, of which `item` shows all but its text. */
  open(item: OutputItem, index: number): string {
    const { delta, place, beside, part } = formOf(item);
    const at = placeOf(item, index, place);
    this.#deltaStart = `event: ${delta}\ndata: {"type":"${delta}","sequence_number":`;
    this.#deltaPlace = `${at}${beside},"delta":`;
    const added = this.#event(
      'response.output_item.added',
      `,"output_index":${index},"item":${eventData(opening(item))}`,
    );
    return part === null ? added : added + this.#event(part.added, `${at},"part":${eventData(part.of(''))}`);
  }

  /** More text of the item that was opened last. */
  delta(text: string): string {
    return `${this.#deltaStart}${this.#sequence++}${this.#deltaPlace}${eventData(text)}}\n\n`;
  }

  /** The whole item. */
  close(item: OutputItem, index: number): string {
    const { done, whole, place, beside, part } = formOf(item);
    const at = placeOf(item, index, place);
    const text = textOfItem(item);
    const name = item.type === 'function_call' ? `,"name":${eventData(item.name)}` : '';
    return (
      this.#event(done, `${at}${beside}${name},"${whole}":${eventData(text)}`) +
      (part === null ? '' : this.#event(part.done, `${at},"part":${eventData(part.of(text))}`)) +
      this.#event('response.output_item.done', `,"output_index":${index},"item":${eventData(item)}`)
    );
  }

  /** The last event of an answer that ended, by itself or at its limit. */
  end(body: ResponseBody): string {
    return this.#response(`response.${body.status}`, body);
  }

  /** The last events of an answer that broke off. Most clients throw at the first of them; others look at the last one only. */
  fail(body: ResponseBody, error: { type: string; code: string; message: string; param: string | null }): string {
    const { code, message, param } = error;
    const told = this.#event('error', `,${eventData({ code, message, param, error }).slice(1, -1)}`);
    return told + this.#response('response.failed', body);
  }
}

function placeOf({ id }: OutputItem, index: number, place: string): string {
  return `,"item_id":"${id}","output_index":${index}${place}`;
}

/** The events of a response that is complete: the same as when it was streamed, in fewer pieces. Each is one text. */
export function eventsOf(body: ResponseBody): string[] {
  const events = new ResponseEvents();
  // In this order: events are numbered as they are made.
  let stream = events.begin({ ...body, ...begun });
  for (const [index, item] of body.output.entries()) {
    const text = textOfItem(item);
    stream += events.open(item, index) + (text === '' ? '' : events.delta(text)) + events.close(item, index);
  }
  return (stream + events.end(body)).split(/(?<=\n\n)/);
}
