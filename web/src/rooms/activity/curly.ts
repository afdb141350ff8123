/** The server's sentence as it is read: names in curly quotes. A name keeps the quotes that are in it. */
export function curly(message: string, name: string): string {
  const quoted = `"${name}"`;
  return message.split(quoted).map(ofPlainNames).join(`“${name}”`);
}

function ofPlainNames(text: string): string {
  return text.replace(/"([^"]*)"/g, '“$1”');
}
