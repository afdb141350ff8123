import { eventData } from '#http';
import { type OutputItem, opening, outputText, textOfItem } from './output-items.ts';
import { begun, type ResponseBody, type ResponseEnd } from './response-body.ts';

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

type Failure = { type: string; code: string; message: string; param: string | null };

/** The events of one response, in order. What several of them hold is made into text once. */
export class ResponseEvents {
  readonly #constant: string;
  readonly #items: string[] = [];
  #sequence = 0;
  #deltaStart = '';
  #deltaPlace = '';

  /** @param body of the response, in any state. */
  constructor({
    status: _status,
    output: _output,
    error: _error,
    incomplete_details: _why,
    usage: _usage,
    ...constant
  }: ResponseBody) {
    this.#constant = eventData(constant).slice(0, -1);
  }

  #event(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++}${fields}}\n\n`;
  }

  /** The response as the last field of an event. */
  #response({ status, error, incomplete_details: why, usage }: ResponseEnd): string {
    const output = `"status":"${status}","output":[${this.#items.join(',')}]`;
    const end = `"error":${eventData(error)},"incomplete_details":${eventData(why)},"usage":${eventData(usage)}`;
    return `,"response":${this.#constant},${output},${end}}`;
  }

  begin(): string {
    const response = this.#response(begun);
    return this.#event('response.created', response) + this.#event('response.in_progress', response);
  }

  /** An item comes, of which `item` shows all but its text. */
  open(item: OutputItem): string {
    const { delta, place, beside, part } = formOf(item);
    const at = this.#placeOf(item, place);
    this.#deltaStart = `event: ${delta}\ndata: {"type":"${delta}","sequence_number":`;
    this.#deltaPlace = `${at}${beside},"delta":`;
    const added = this.#event('response.output_item.added', this.#itemField(eventData(opening(item))));
    return part === null ? added : added + this.#event(part.added, `${at},"part":${eventData(part.of(''))}`);
  }

  /** More text of the item that was opened. */
  delta(text: string): string {
    return `${this.#deltaStart}${this.#sequence++}${this.#deltaPlace}${eventData(text)}}\n\n`;
  }

  /** The item that was opened, whole. */
  close(item: OutputItem): string {
    const { done, whole, place, beside, part } = formOf(item);
    const at = this.#placeOf(item, place);
    const text = textOfItem(item);
    const name = item.type === 'function_call' ? `,"name":${eventData(item.name)}` : '';
    const itemText = eventData(item);
    const events =
      this.#event(done, `${at}${beside}${name},"${whole}":${eventData(text)}`) +
      (part === null ? '' : this.#event(part.done, `${at},"part":${eventData(part.of(text))}`)) +
      this.#event('response.output_item.done', this.#itemField(itemText));
    this.#items.push(itemText);
    return events;
  }

  /** The last event of an answer that ended, by itself or at its limit. */
  end(ending: ResponseEnd): string {
    return this.#event(`response.${ending.status}`, this.#response(ending));
  }

  /**
   * The last events of an answer that broke off, within `unfinished`. Most clients throw at the first of them; others look at
   * the last one only.
   */
  fail(unfinished: OutputItem | null, error: Failure): string {
    const { code, message, param } = error;
    const told = this.#event('error', `,${eventData({ code, message, param, error }).slice(1, -1)}`);
    if (unfinished !== null) this.#items.push(eventData(unfinished));
    const ending = { status: 'failed', error: { code, message }, incomplete_details: null, usage: null } as const;
    return told + this.#event('response.failed', this.#response(ending));
  }

  #placeOf({ id }: OutputItem, place: string): string {
    return `,"item_id":"${id}","output_index":${this.#items.length}${place}`;
  }

  #itemField(item: string): string {
    return `,"output_index":${this.#items.length},"item":${item}`;
  }
}

/** The events of a response that is complete: the same as when it was streamed, in fewer pieces. Each is one text. */
export function eventsOf(body: ResponseBody): string[] {
  const events = new ResponseEvents(body);
  // In this order: events are numbered as they are made.
  let stream = events.begin();
  for (const item of body.output) {
    const text = textOfItem(item);
    stream += events.open(item) + (text === '' ? '' : events.delta(text)) + events.close(item);
  }
  return (stream + events.end(body)).split(/(?<=\n\n)/);
}
