/** Names of columns. Several are joined. */
export type Columns = string | readonly string[];

export type TextMapping = { tools?: string; split?: string } & (
  | { messages: string; user?: undefined }
  | { messages?: undefined; system?: string; user: Columns; assistant: string }
);

export type EmbeddingMapping = { query: string; positives: Columns; negatives?: Columns; split?: string };

export type Mapping = { kind: 'text'; text: TextMapping } | { kind: 'embedding'; embedding: EmbeddingMapping };

export type WireMapping = Record<string, string | string[]>;

export type MappingProblem = { param: string; message: string };

const textFields = ['messages', 'system', 'user', 'assistant', 'tools', 'split'];
const embeddingFields = ['query', 'positive', 'positives', 'negative', 'negatives', 'split'];
const mayBeSeveral = new Set(['user', 'positive', 'positives', 'negative', 'negatives']);
const maxColumns = 16;

/** Reads a mapping for a kind of project; `columns` are those of the file, null when they are not known yet. */
export function readMapping(
  wire: WireMapping,
  { kind, columns }: { kind: 'text' | 'embedding'; columns: ReadonlySet<string> | null },
): Mapping | MappingProblem {
  const known = kind === 'text' ? textFields : embeddingFields;
  for (const [field, value] of Object.entries(wire)) {
    const problem = problemOf(field, { value, known, kind, columns });
    if (problem) return { param: `mapping.${field}`, message: problem };
  }
  return kind === 'text' ? readText(wire) : readEmbedding(wire);
}

export function isMapping(result: Mapping | MappingProblem): result is Mapping {
  return 'kind' in result;
}

type FieldContext = { value: Columns; known: readonly string[]; kind: string; columns: ReadonlySet<string> | null };

function problemOf(field: string, { value, known, kind, columns }: FieldContext): string | null {
  if (!known.includes(field)) return `A mapping of ${kind} examples has no field ${JSON.stringify(field)}.`;
  const names = typeof value === 'string' ? [value] : value;
  if (typeof value !== 'string' && !mayBeSeveral.has(field)) return 'Expected one column.';
  if (names.length === 0 || names.length > maxColumns) return `Expected 1 to ${maxColumns} columns.`;
  const unknown = columns && names.find((name) => !columns.has(name));
  return typeof unknown === 'string' ? `The file has no column ${JSON.stringify(unknown)}.` : null;
}

function readText({ messages, system, user, assistant, tools, split }: WireMapping): Mapping | MappingProblem {
  const more = { ...one('tools', tools), ...one('split', split) };
  if (messages !== undefined) {
    const extra = Object.entries({ system, user, assistant }).find(([, value]) => value !== undefined);
    if (extra) return { param: `mapping.${extra[0]}`, message: 'Messages already hold the whole conversation.' };
    return { kind: 'text', text: { ...more, messages: nameOf(messages) } };
  }
  if (user === undefined || assistant === undefined) {
    const param =
      user === undefined && assistant === undefined
        ? 'mapping.messages'
        : `mapping.${user === undefined ? 'user' : 'assistant'}`;
    return { param, message: 'Expected messages, or user and assistant.' };
  }
  return { kind: 'text', text: { ...more, ...one('system', system), user, assistant: nameOf(assistant) } };
}

function readEmbedding(wire: WireMapping): Mapping | MappingProblem {
  const { query, positive, positives = positive, negative, negatives = negative, split } = wire;
  if (query === undefined) return { param: 'mapping.query', message: 'Expected the column of the query.' };
  if (positives === undefined)
    return { param: 'mapping.positive', message: 'Expected the column of what the query should find.' };
  const twice =
    wire.positive !== undefined && wire.positives !== undefined
      ? 'positive'
      : wire.negative !== undefined && wire.negatives !== undefined
        ? 'negative'
        : null;
  if (twice) return { param: `mapping.${twice}`, message: `Expected ${twice} or ${twice}s, not both.` };
  return {
    kind: 'embedding',
    embedding: {
      query: nameOf(query),
      positives,
      ...(negatives === undefined ? {} : { negatives }),
      ...one('split', split),
    },
  };
}

function one<Name extends string>(name: Name, value: Columns | undefined): Partial<Record<Name, string>> {
  // as: the one name of the record.
  return value === undefined ? {} : ({ [name]: nameOf(value) } as Partial<Record<Name, string>>);
}

/** A field that takes one column has one: `problemOf` has seen to it. */
function nameOf(value: Columns): string {
  return typeof value === 'string' ? value : (value[0] ?? '');
}

export function columnsIn(value: Columns | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
