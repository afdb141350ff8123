import { posix } from 'node:path';
import { ImportFailure } from '../import-failure.ts';
import type { Archive } from './archive.ts';
import { builtInKind, kindOfFormat, type NumberKind } from './cell-values.ts';
import { type Attributes, readXml } from './xml.ts';

const maxSheets = 1_000;
const maxNameChars = 255;
const maxFormats = 100_000;

export type Sheet = { name: string; isHidden: boolean; part: string };

export type Workbook = {
  sheets: readonly Sheet[];
  startsIn1904: boolean;
  /** By the number of the style of a cell. */
  kinds: readonly NumberKind[];
  stringsPart: string | null;
};

export async function readWorkbook(archive: Archive): Promise<Workbook> {
  const part = await findWorkbook(archive);
  const related = await readRelations(archive, part);
  const partOf = (type: string) => related.find((each) => each.type === type)?.target ?? null;
  const { entries, startsIn1904 } = await readSheetList(archive, part);
  const sheets = entries.flatMap(({ name, isHidden, id }) => {
    // Sheets of charts have no cells.
    const found = related.find((each) => each.id === id && each.type === 'worksheet');
    return found && archive.has(found.target) ? [{ name, isHidden, part: found.target }] : [];
  });
  if (sheets.length === 0) throw new ImportFailure('empty_file', 'The workbook has no sheet with cells.');
  return {
    sheets,
    startsIn1904,
    kinds: await readKinds(archive, partOf('styles')),
    stringsPart: partOf('sharedStrings'),
  };
}

async function findWorkbook(archive: Archive): Promise<string> {
  const related = await readRelations(archive, '');
  const part = related.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  if (part.endsWith('.bin'))
    throw new ImportFailure('wrong_format', 'The file is a binary Excel workbook (.xlsb).', saveHint);
  if (part.includes('workbook') && archive.has(part)) return part;
  if (archive.has('content.xml'))
    throw new ImportFailure('wrong_format', 'The file is an OpenDocument file, such as one of LibreOffice.', saveHint);
  throw new ImportFailure('wrong_format', 'The file is a ZIP archive, but no Excel workbook.', {
    hint: 'Unpack it, and upload the file in it: CSV, TSV, JSON, JSONL, Parquet or Excel (.xlsx).',
  });
}

export const saveHint = { hint: 'Save it as an Excel workbook (.xlsx) or as CSV.' };

type Relation = { id: string; type: string; target: string };

/** What the relations of a part name; those of the whole file stand beside no part. */
async function readRelations(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const file = part === '' ? '_rels/.rels' : posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  await readXml(archive.read(file), {
    ...ignoring,
    open(name, { Id: id = '', Type: type = '', Target: target = '', TargetMode: mode }) {
      if (name !== 'Relationship' || mode === 'External' || relations.length >= maxFormats) return;
      const resolved = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
      relations.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolved });
    },
  });
  return relations;
}

const ignoring = { text() {}, close() {} };

async function readSheetList(archive: Archive, part: string) {
  const entries: { name: string; isHidden: boolean; id: string }[] = [];
  let startsIn1904 = false;
  await readXml(archive.read(part), {
    ...ignoring,
    open(name, attributes) {
      if (name === 'workbookPr') startsIn1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      if (entries.length >= maxSheets)
        throw new ImportFailure('too_large', `The workbook has more than ${maxSheets} sheets.`, {
          details: { limit: maxSheets },
        });
      const { name: title = '', state = 'visible' } = attributes;
      entries.push({ name: title.slice(0, maxNameChars), isHidden: state !== 'visible', id: relationOf(attributes) });
    },
  });
  return { entries, startsIn1904 };
}

/** `r:id`, under whatever prefix. */
function relationOf(attributes: Attributes): string {
  const name = Object.keys(attributes).find((each) => /:id$/i.test(each));
  return name === undefined ? '' : (attributes[name] ?? '');
}

export const isTrue = (value: string | undefined) => value === '1' || value === 'true';

/** The styles of cells, as far as they say how a number is to be read. */
async function readKinds(archive: Archive, part: string | null): Promise<NumberKind[]> {
  const custom = new Map<string, NumberKind>();
  const kinds: NumberKind[] = [];
  let isInCells = false;
  if (part === null) return kinds;
  await readXml(archive.read(part), {
    open(name, { numFmtId: id = '0', formatCode: code = '' }) {
      if (name === 'numFmt' && custom.size < maxFormats) custom.set(id, kindOfFormat(code));
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells && kinds.length < maxFormats)
        kinds.push(custom.get(id) ?? builtInKind(Number(id)));
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return kinds;
}
