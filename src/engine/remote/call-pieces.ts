import { fieldsOf, isObject, type JsonFields, jsonIn, textOf } from './wire.ts';

export type RemoteCall = {
  name: string;
  /** A JSON object; null where what has come is none. */
  arguments: string | null;
  text: string;
};

type Piece = { index: number | null; id: string; name: string; text: string };

/**
 * Puts the tool calls of one answer together. Engines send them whole or in pieces, alternating or one after the other, and identify their
 * pieces by index, by id, by name, or not at all.
 */
export class CallPieces {
  readonly #calls: Piece[] = [];
  readonly #byIndex = new Map<number, Piece>();
  readonly #byId = new Map<string, Piece>();
  #latest: Piece | null = null;

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  add(fields: JsonFields): void {
    const piece = pieceOf(fields);
    if (piece.name === '' && piece.id === '' && piece.text === '') return;
    const call = this.#callOf(piece);
    if (call === null || isAnother(piece, call)) this.#begin(piece);
    else this.#goOn(call, piece);
  }

  /** All calls, in the order of their indexes where each has one, else as they began. */
  all(): RemoteCall[] {
    const calls = this.#calls.filter(isNew());
    if (calls.every(({ index }) => index !== null)) calls.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    return calls.map(({ name, text }) => ({ name, arguments: objectIn(text), text }));
  }

  #callOf({ index, id, name }: Piece): Piece | null {
    if (index !== null) {
      const call = this.#byIndex.get(index);
      if (call !== undefined) return call;
    }
    if (id !== '') {
      const call = this.#byId.get(id);
      // With an index of its own a call that has the id of another is one more.
      if (call !== undefined && (index === null || call.index === null)) return call;
      if (index !== null) return null;
    }
    // An index that comes late, or not at all, says nothing, and nothing begins without a name.
    return index === null || this.#latest?.index === null || (id === '' && name === '') ? this.#latest : null;
  }

  #begin(piece: Piece): void {
    this.#calls.push(piece);
    this.#remember(piece);
  }

  #goOn(call: Piece, piece: Piece): void {
    call.id ||= piece.id;
    call.index ??= piece.index;
    // Some repeat it with every piece.
    if (piece.name !== call.name) call.name += piece.name;
    call.text += piece.text;
    this.#remember(call);
  }

  #remember(call: Piece): void {
    if (call.index !== null) this.#byIndex.set(call.index, call);
    if (call.id !== '') this.#byId.set(call.id, call);
    this.#latest = call;
  }
}

/** `function_call`, of the time when an answer had one call only, has all of its pieces at one index. */
export const legacyCall = (fields: unknown): JsonFields => ({ index: -1, function: fields });

function pieceOf(fields: JsonFields): Piece {
  const part = isObject(fields.function) ? fieldsOf(fields.function) : fields;
  const given = part.arguments ?? part.parameters ?? part.input;
  return {
    index: indexOf(fields.index),
    id: textOf(fields.id),
    name: textOf(part.name),
    text: isObject(given) ? JSON.stringify(given) : textOf(given),
  };
}

function indexOf(index: unknown): number | null {
  if (typeof index === 'number') return index;
  return typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : null;
}

/** Not every engine counts its calls: some give all of them the same index, or none. Then a call begins with its name. */
function isAnother(piece: Piece, call: Piece): boolean {
  if (piece.name === '') return false;
  if (piece.id !== '' && call.id !== '' && piece.id !== call.id) return true;
  const begins = piece.text.trimStart().startsWith('{') || (piece.name !== call.name && piece.text === '');
  // The name of a tool may be the id of all its calls.
  if (begins && isWhole(call.text)) return true;
  if (piece.index !== null && call.index !== null) return false;
  if (piece.id !== '') return piece.id !== call.id;
  return piece.name !== call.name || call.text === '';
}

/** Recognises calls that come a second time: some engines send all of them again at the end. */
function isNew(): (call: Piece) => boolean {
  const seen = new Set<string>();
  return ({ id, name, text }) => {
    if (id === '') return true;
    const key = JSON.stringify([id, name, text]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
}

const isWhole = (text: string): boolean => text.trimEnd().endsWith('}') && isObjectText(text);

/** A call without parameters may have none at all, or an empty object in front of them; some write the JSON as a JSON string. */
function objectIn(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return '{}';
  if (isObjectText(text)) return text.toWellFormed();
  if (trimmed.startsWith('"')) {
    const inner = jsonIn(trimmed);
    return typeof inner === 'string' && isObjectText(inner) ? inner.toWellFormed() : null;
  }
  const rest = trimmed.replace(/^\{\s*\}/, '');
  return rest !== trimmed && isObjectText(rest) ? rest.toWellFormed() : null;
}

function isObjectText(text: string): boolean {
  const value = jsonIn(text);
  return isObject(value) && !Array.isArray(value);
}
