/** The server's message with curly quotes around names. Quotes inside a name stay. */
export function curlyQuotes(message: string, name: string): string {
  const quoted = `"${name}"`;
  return message.split(quoted).map(ofPlainNames).join(`“${name}”`);
}

function ofPlainNames(text: string): string {
  return text.replace(/"([^"]*)"/g, '“$1”');
}
