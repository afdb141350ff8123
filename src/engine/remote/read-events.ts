import { createParser } from 'eventsource-parser';

/** The data of server-sent events, as they come. */
export async function* readEvents(body: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  for await (const chunk of body) {
    // as: bodies of HTTP answers are bytes.
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    yield* events.splice(0);
  }
}
