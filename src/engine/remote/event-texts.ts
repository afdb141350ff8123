import { createParser, type EventSourceParser } from 'eventsource-parser';

/** Takes the data of an event: what stands in `text` between these places. */
export type OnData = (text: string, from: number, to: number) => void;

const field = 'data: ';
const lineFeed = 10;

/**
 * Reads server-sent events. Engines write theirs as one line of data and an empty one, and those are found by the ends of lines;
 * from the first thing that is anything else, a piece is left to a parser that knows the whole format.
 */
export class EventTexts {
  readonly #onData: OnData;
  #parser: EventSourceParser | null = null;
  /** What comes next begins a line, and nothing of an event waits for its rest. */
  #isBetween = true;
  #isBeginning = true;

  constructor(onData: OnData) {
    this.#onData = onData;
  }

  feed(text: string): void {
    const read = this.#isBetween ? this.#readPlain(text) : 0;
    if (read === text.length) return;
    this.#isBetween = text.endsWith('\n\n');
    this.#parser ??= this.#newParser();
    this.#parser.feed(read === 0 ? text : text.slice(read));
  }

  /** Events of one line each; tells how much of the text they were. */
  #readPlain(text: string): number {
    // It ends lines, too.
    if (text.includes('\r')) return 0;
    let at = 0;
    while (text.startsWith(field, at)) {
      const from = at + field.length;
      const to = text.indexOf('\n', from);
      if (to < 0 || text.charCodeAt(to + 1) !== lineFeed) break;
      this.#isBeginning = false;
      this.#onData(text, from, to);
      at = to + 2;
    }
    return at;
  }

  #newParser(): EventSourceParser {
    const parser = createParser({ onEvent: ({ data }) => this.#onData(data, 0, data.length) });
    // Only the very beginning may be a mark of the byte order.
    if (!this.#isBeginning) parser.feed('\n');
    return parser;
  }
}
