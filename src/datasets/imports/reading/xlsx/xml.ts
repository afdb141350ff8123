import { TextDecoder } from 'node:util';
import sax from 'sax';
import { ImportFailure } from '../import-failure.ts';

/** Elements of Office files stand within a dozen others. */
const maxDepth = 64;

export type Attributes = Readonly<Record<string, string>>;

export type XmlHandler = {
  open: (name: string, attributes: Attributes) => void;
  /** A long text comes in pieces. */
  text: (text: string) => void;
  close: (name: string) => void;
};

/** Reads a part piece by piece, and gives control back after each. Names come without their prefix. */
export async function* parseXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = parserFor(handler);
  let decoder: TextDecoder | null = null;
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(isUtf16(chunk) ? 'utf-16le' : 'utf-8', { fatal: true });
      parser.write(decoded(decoder, chunk));
      yield;
    }
    if (decoder) parser.write(decoded(decoder, null)).close();
  } catch (error) {
    throw error instanceof NotXml ? unreadable(error) : error;
  }
  yield;
}

export async function readXml(chunks: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of parseXml(chunks, handler));
}

class NotXml extends Error {}

function decoded(decoder: TextDecoder, chunk: Buffer | null): string {
  try {
    return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
  } catch {
    throw new NotXml('it is not UTF-8');
  }
}

function parserFor(handler: XmlHandler): sax.SAXParser {
  const parser = sax.parser(true, { position: false });
  let depth = 0;
  parser.onopentag = ({ name, attributes }) => {
    if (++depth > maxDepth) throw new NotXml('nested too deeply');
    // as: attributes have more members only where namespaces are resolved.
    handler.open(localName(name), attributes as Record<string, string>);
  };
  parser.ontext = (text) => handler.text(text);
  parser.oncdata = parser.ontext;
  parser.onclosetag = (name) => {
    depth--;
    handler.close(localName(name));
  };
  parser.ondoctype = () => {
    throw new NotXml('it declares a document type');
  };
  parser.onerror = ({ message }) => {
    throw new NotXml(message);
  };
  return parser;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function isUtf16(chunk: Buffer): boolean {
  return chunk[0] === 0xff && chunk[1] === 0xfe;
}

function unreadable(error: Error): ImportFailure {
  const [reason = ''] = error.message.split('\n', 1);
  return new ImportFailure('unreadable', `The workbook is damaged: a part of it is no XML (${reason.slice(0, 100)}).`, {
    hint: 'Open it in Excel or LibreOffice, save it again and upload it anew.',
  });
}
