import { isFields } from '#kernel';

/**
 * YAML of what JSON can hold, in one quick pass: a document of half a megabyte must not keep the server from its streams
 * for a second, as a general writer does.
 */
export function yamlText(value: unknown): string {
  return `${block(value, '').trimStart()}\n`;
}

const plainText = /^[A-Za-z_/][\w/.-]*(?: [\w/.()-]+)*$/;
const wordsOfYaml = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** Lines that a block keeps as they are: not empty at either end, no white space that could be lost, nothing invisible. */
const blockText = /^[^\s][^\t\r\p{C}\u0085\u2028\u2029]*(?:\n+[^\s][^\t\r\p{C}\u0085\u2028\u2029]*)+$/u;

/** A value behind `key:` or `-`, with what separates it. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item) => `\n${indent}-${inList(item, `${indent}  `)}`).join('');
  if (isFields(value)) {
    const fields = Object.entries(value).filter(([, item]) => item !== undefined);
    if (fields.length > 0)
      return fields.map(([name, item]) => `\n${indent}${scalar(name)}:${block(item, `${indent}  `)}`).join('');
  }
  if (typeof value === 'string' && blockText.test(value))
    return ` |-\n${value
      .split('\n')
      .map((line) => (line === '' ? '' : indent + line))
      .join('\n')}`;
  return ` ${typeof value === 'string' ? scalar(value) : JSON.stringify(value)}`;
}

/** The first field of an object stands on the line of the dash. */
function inList(value: unknown, indent: string): string {
  const text = block(value, indent);
  return text.startsWith(`\n${indent}`) ? ` ${text.slice(1 + indent.length)}` : text;
}

/** JSON has these as they are; YAML does not, or takes some for a line break. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A string of JSON is one of YAML, once its characters are printable. */
function scalar(text: string): string {
  if (plainText.test(text) && !wordsOfYaml.test(text)) return text;
  return JSON.stringify(text).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
