import type { TextSeal } from '#kernel';
import { fault } from '#kernel';
import type { StoredResponse, StoredResponses } from '../../stored-responses.ts';
import { refuse } from '../openai/refuse.ts';
import { type InputItem, isReference } from './input-items.schema.ts';
import { isIdentifiedType, itemId, placeOf } from './item-ids.ts';
import { type CountRequest, messagesFor } from './request.ts';
import type { ResponseBody } from './response-body.ts';

const idPattern = /^resp_[A-Za-z0-9]{1,64}$/;

/** What an id of a response cannot be is not looked for. */
export const findStored = (stored: StoredResponses, id: string): Promise<StoredResponse | null> =>
  idPattern.test(id) ? stored.find(id) : Promise.resolve(null);

/** Puts what was stored in front of what was sent, and in the place of references. */
export async function withStored<InputRequest extends CountRequest>(
  request: InputRequest,
  stored: StoredResponses,
  seal: TextSeal,
): Promise<InputRequest & { addedBytes?: number }> {
  const { input, prompt } = request;
  if (input.previousId === null && !input.items.some(isReference)) return request;
  const chain = input.previousId === null ? [] : await chainOf(stored, input.previousId);
  const earlier = chain.flatMap((response) => [...inputOf(response), ...outputOf(response)]);
  const finder = new ItemFinder(stored, chain);
  const items: InputItem[] = [];
  let addedBytes = bytesOf(earlier);
  for (const [index, item] of input.items.entries()) {
    if (!isReference(item)) {
      items.push(item);
      continue;
    }
    const meant = await finder.find(item.id, `input[${index}].id`);
    items.push(meant);
    addedBytes += bytesOf(meant);
    if (addedBytes > mostBytes) throw refuse('input', 'refers to more than 16 MiB of stored items');
  }
  return {
    ...request,
    input: { ...input, items },
    prompt: { ...prompt, messages: messagesFor(input, { items: [...earlier, ...items], seal }) },
    addedBytes,
  };
}

/** No context has room for more, and all of it is held in memory. */
const mostBytes = 16 * 2 ** 20;
const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));

async function chainOf(stored: StoredResponses, id: string): Promise<StoredResponse[]> {
  const chain = idPattern.test(id) ? await stored.chain(id) : null;
  if (chain !== null) return chain;
  throw fault('previous_response_not_found', {
    param: 'previous_response_id',
    message: `Previous response with id '${id.slice(0, 80)}' not found. It was not stored, or it or one before it is gone: send its items in input.`,
  });
}

/** Finds items of stored responses. Holds one response beside those of the chain: items of one are referred to in a row. */
class ItemFinder {
  readonly #stored: StoredResponses;
  readonly #chain: readonly StoredResponse[];
  #last: StoredResponse | null = null;

  constructor(stored: StoredResponses, chain: readonly StoredResponse[]) {
    this.#stored = stored;
    this.#chain = chain;
  }

  async find(id: string, path: string): Promise<InputItem> {
    const place = placeOf(id);
    const response = place && (await this.#response(place.responseId));
    const items = response && (place.list === 'input' ? inputOf(response) : outputOf(response));
    const item = place && items?.[place.index];
    if (item && 'id' in item && item.id === id) return item;
    const help =
      'Items are stored with their response only; send the item itself, and let your client not store (store: false).';
    throw refuse(path, `Item with id '${id.slice(0, 80)}' not found. ${help}`);
  }

  async #response(id: string): Promise<StoredResponse | null> {
    const known = this.#last?.id === id ? this.#last : this.#chain.find((response) => response.id === id);
    this.#last = known ?? (await findStored(this.#stored, id));
    return this.#last;
  }
}

// as: it was read by the schema of items before it was stored.
const inputOf = ({ input }: StoredResponse) => input as InputItem[];

// as: only `collect` makes the bodies of responses, whose items are those of an input too.
const outputOf = ({ body }: StoredResponse) => (body as ResponseBody).output as InputItem[];

/** The input as it is stored and listed: each item with its type and an id. */
export function storedInput(items: readonly InputItem[], responseId: string): object[] {
  return items.map((item, index) => {
    const type = item.type ?? 'message';
    if (!isIdentifiedType(type)) return item;
    const sentId = 'id' in item ? item.id : null;
    const id = sentId || itemId(type, { responseId, list: 'input', index });
    return { ...item, id, type, ...listedContent(item) };
  });
}

/** Clients expect the content of messages as a list, and of parts of answers all fields. */
function listedContent(item: InputItem): object {
  if (!('content' in item) || !('role' in item)) return {};
  const { content, role } = item;
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  const parts = typeof content === 'string' ? [{ type, text: content }] : Array.isArray(content) ? content : [];
  return { status: 'completed', content: parts.map((part) => listedPart(part, type)) };
}

function listedPart(part: object & { type: string }, textType: 'input_text' | 'output_text'): object {
  const type = part.type === 'text' ? textType : part.type;
  return type === 'output_text' ? { annotations: [], logprobs: [], ...part, type } : { ...part, type };
}
