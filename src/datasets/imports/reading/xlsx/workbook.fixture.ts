import { buffer } from 'node:stream/consumers';
import yazl from 'yazl';
import { lettersOf } from './cell-values.ts';

/** A cell by its value, or as it is written: attributes and content of its element. */
export type CellInput = string | number | boolean | null | { attributes: string; content: string };

export type SheetInput = { name: string; rows: readonly (readonly CellInput[] | null)[]; state?: string };

export type WorkbookInput = {
  /** Texts of cells are written once, and cells refer to them. */
  hasSharedTexts?: boolean;
  /** Rows and cells carry no numbers, as they go on by one. */
  hasNoAddresses?: boolean;
  startsIn1904?: boolean;
  /** Codes of number formats; the style n of a cell is the format n - 1. */
  formats?: readonly string[];
  /** Parts that come beside or instead of the usual ones. */
  parts?: Readonly<Record<string, string | Buffer | null>>;
};

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** An Excel workbook with these sheets. */
export function workbookOf(sheets: readonly SheetInput[], input: WorkbookInput = {}): Promise<Buffer> {
  const texts: string[] = [];
  const parts: Record<string, string> = {};
  for (const [index, { rows }] of sheets.entries())
    parts[`xl/worksheets/sheet${index + 1}.xml`] =
      `<worksheet xmlns="${main}"><sheetData>${rows.map((row, at) => rowXml(row, at + 1, { input, texts })).join('')}</sheetData></worksheet>`;
  const list = sheets.map(
    ({ name, state = 'visible' }, at) =>
      `<sheet name="${escaped(name)}" sheetId="${at + 1}" state="${state}" r:id="rId${at + 1}"/>`,
  );
  const relations = sheets.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`));
  return zipOf({
    '_rels/.rels': relationsXml([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/_rels/workbook.xml.rels': relationsXml([
      ...relations,
      relation('rId901', 'styles', 'styles.xml'),
      relation('rId902', 'sharedStrings', '/xl/sharedStrings.xml'),
    ]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><workbookPr date1904="${input.startsIn1904 ? 1 : 0}"/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/styles.xml': stylesXml(input.formats ?? []),
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    ...parts,
    ...input.parts,
  });
}

/** An archive of these parts; null takes one out. */
export function zipOf(parts: Readonly<Record<string, string | Buffer | null>>): Promise<Buffer> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(parts))
    if (content !== null)
      zip.addBuffer(Buffer.isBuffer(content) ? content : Buffer.from(declaration + content), name, {
        mtime: new Date(0),
      });
  zip.end();
  return buffer(zip.outputStream);
}

type RowContext = { input: WorkbookInput; texts: string[] };

function rowXml(row: readonly CellInput[] | null, number: number, context: RowContext): string {
  if (row === null) return '';
  const cells = row.map((cell, column) => cellXml(cell, `${lettersOf(column)}${number}`, context));
  return context.input.hasNoAddresses ? `<row>${cells.join('')}</row>` : `<row r="${number}">${cells.join('')}</row>`;
}

function cellXml(cell: CellInput, address: string, { input, texts }: RowContext): string {
  const at = input.hasNoAddresses ? '' : ` r="${address}"`;
  if (cell === null) return input.hasNoAddresses ? '<c/>' : '';
  if (typeof cell === 'object') return `<c${at} ${cell.attributes}>${cell.content}</c>`;
  if (typeof cell === 'number') return `<c${at}><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c${at} t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (input.hasSharedTexts) return `<c${at} t="s"><v>${texts.push(cell) - 1}</v></c>`;
  return `<c${at} t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
}

function stylesXml(formats: readonly string[]): string {
  const own = formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`);
  const styles = ['<xf numFmtId="0"/>', ...formats.map((_, at) => `<xf numFmtId="${200 + at}"/>`)];
  return `<styleSheet xmlns="${main}"><numFmts>${own.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs></styleSheet>`;
}

const relation = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
const relationsXml = (relations: readonly string[]) => `<Relationships>${relations.join('')}</Relationships>`;

/** As Office writes texts: line ends and characters that XML does not have as `_x000D_`. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, (c) => `_x${c.charCodeAt(0).toString(16).padStart(4, '0')}_`)
    .replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
