/*
 * What is sent to run a prepared statement (the extended protocol of PostgreSQL), in one piece: the driver makes a buffer of each
 * message, and handing five of them to the socket costs more than making them.
 */

const head = 5;
const [parseMessage, bindMessage] = [0x50, 0x42];
/** Describe the portal, execute it, end the message; the last two alone. */
const withDescribe = Buffer.from('D\0\0\0\x06P\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');
const withoutDescribe = withDescribe.subarray(7);

export type Preparing = {
  name: string;
  /** Null: the connection knows the statement. */
  text: string | null;
  values: readonly (string | null)[];
  /** Whether the columns of the result are asked for. */
  describes: boolean;
};

export function preparedMessages({ name, text, values, describes }: Preparing): Buffer {
  const rest = describes ? withDescribe : withoutDescribe;
  const nameBytes = Buffer.byteLength(name) + 1;
  const parseBytes = text === null ? 0 : head + nameBytes + Buffer.byteLength(text) + 1 + 2;
  const sizes = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  const bindBytes = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), head + 1 + nameBytes + 6);
  const bytes = Buffer.allocUnsafe(parseBytes + bindBytes + rest.length);
  let at = 0;
  const begin = (message: number, size: number) => {
    bytes[at] = message;
    at = bytes.writeInt32BE(size - 1, at + 1);
  };
  const addText = (value: string) => {
    at += bytes.write(value, at);
    bytes[at++] = 0;
  };
  const addCount = (count: number) => {
    at = bytes.writeInt16BE(count, at);
  };
  if (text !== null) {
    begin(parseMessage, parseBytes);
    addText(name);
    addText(text);
    // Types of parameters: as the statement says.
    addCount(0);
  }
  begin(bindMessage, bindBytes);
  // The portal has no name.
  bytes[at++] = 0;
  addText(name);
  // Parameters and results are all text.
  addCount(0);
  addCount(values.length);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(sizes[index] ?? -1, at);
    if (value !== null) at += bytes.write(value, at);
  }
  addCount(0);
  rest.copy(bytes, at);
  return bytes;
}
