type Reader = { onPiece: (piece: Buffer) => void; done: () => void; fail: (error: unknown) => void };
type End = { error: Error | null };
/** What ends the connection of an answer. */
export type Abortable = { abort: (reason: Error) => void };

/** How often something of an answer has come. */
export type Heard = { times: number };

/** Nobody waits longer for the end of an answer whose rest nobody needs: its connection goes instead. */
const dropMs = 1_000;

/** The body of an answer of a remote engine. To be read once, with one of its methods, by whoever gets it. */
export class AnswerBody {
  readonly #connection: Abortable;
  /** Came before anybody read. */
  #early: Buffer[] = [];
  #reader: Reader | null = null;
  #end: End | null = null;
  #heard: Heard = { times: 0 };

  constructor(connection: Abortable) {
    this.#connection = connection;
  }

  /** What comes from now on is counted there. */
  countIn(heard: Heard): void {
    this.#heard = heard;
  }

  /** For the connection: a piece has come. */
  add(piece: Buffer): void {
    this.#heard.times += 1;
    if (this.#reader) this.#reader.onPiece(piece);
    else this.#early.push(piece);
  }

  /** For the connection: it is whole, or broke off. */
  end(error: Error | null): void {
    this.#end = { error };
    if (error) this.#reader?.fail(error);
    else this.#reader?.done();
  }

  /** Pieces as they come; resolves at the end, or as soon as `onPiece` says that the rest is not needed. */
  read(onPiece: (piece: Buffer) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const reader: Reader = {
        onPiece: (piece) => {
          try {
            if (onPiece(piece)) return;
            resolve();
          } catch (error) {
            reject(error);
          }
          this.drop();
        },
        done: resolve,
        fail: reject,
      };
      this.#reader = reader;
      for (const piece of this.#early.splice(0)) this.#reader.onPiece(piece);
      if (this.#end?.error) reject(this.#end.error);
      else if (this.#end) resolve();
    });
  }

  /** The whole text, or its beginning where it is longer than `mostBytes`. */
  async text(mostBytes = Number.POSITIVE_INFINITY): Promise<string> {
    const pieces: Buffer[] = [];
    // An answer in one piece mostly comes with its head.
    if (this.#end?.error === null && mostBytes === Number.POSITIVE_INFINITY) pieces.push(...this.#early.splice(0));
    else {
      let size = 0;
      await this.read((piece) => {
        pieces.push(piece);
        size += piece.length;
        return size < mostBytes;
      });
    }
    const [only] = pieces;
    return (only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces)).toString('utf8');
  }

  async json(): Promise<unknown> {
    return jsonOf(await this.text());
  }

  /** Nobody needs the rest. It passes, so that its connection can serve the next call, unless it takes too long. */
  drop(): void {
    this.#early = [];
    let give: NodeJS.Timeout | null = null;
    const over = () => void (give && clearTimeout(give));
    this.#reader = { onPiece: () => {}, done: over, fail: over };
    // The end comes nearly always with what was needed last, and so before this.
    queueMicrotask(() => {
      if (!this.#end) give = setTimeout(() => this.#connection.abort(new Error('Not needed.')), dropMs).unref();
    });
  }
}

/** Some engines' platforms put a mark of the byte order in front. */
export function jsonOf(text: string): unknown {
  return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
}
