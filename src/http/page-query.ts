import Type, { type TSchema } from 'typebox';

export const defaultLimit = 25;
export const maxLimit = 100;

/**
 * `limit` and `cursor`, to spread into the query of a list: `Type.Object({ ...pageQuery, kind: ... })`. What passed
 * goes to `readPage`, which knows the default.
 */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      description: 'Rows on a page.',
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        '`next_cursor` of the page before. It belongs to this list and these filters; without it the list starts anew.',
    }),
  ),
};

/** The query of a list without filters. */
export const plainPageQuery = Type.Object(pageQuery);

/** The answer of a list: a cursor page of `row` (interface 2.6). Further fields may stand beside. */
export function pageSchema<Row extends TSchema>(row: Row) {
  return Type.Object({
    data: Type.Array(row, { description: 'The rows of this page.' }),
    next_cursor: nullable(
      Type.String({ description: 'Pass it as `cursor` to get the next page.' }),
      'Null on the last page.',
    ),
    total_count: Type.Integer({
      description: 'Rows on all pages under these filters.',
      minimum: 0,
    }),
  });
}

/** A field that is always there and may be null. */
export function nullable<Value extends TSchema>(value: Value, description?: string) {
  return Type.Union([value, Type.Null()], description === undefined ? {} : { description });
}

const slugPattern = '[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?';

/** Address of a project, `{owner}/{project}`. */
export const projectPattern = `^${slugPattern}/${slugPattern}$`;

/** A filter by project. */
export function projectAddress(text: string) {
  return Type.Optional(Type.String({ description: text, pattern: projectPattern }));
}

/** A text that holds more than spaces. */
export const notBlankPattern = '\\S';

/** RFC 3339, UTC, milliseconds. */
export function timestamp(text: string) {
  return Type.String({ description: text, format: 'date-time' });
}

/** Credits as a caller may write them. */
export const creditsPattern = '^[0-9]{1,12}(\\.[0-9]{1,6})?$';

/** Credits: a decimal number with exactly six places, as text. */
export function creditsText(text: string) {
  return Type.String({ description: text, pattern: '^-?[0-9]+\\.[0-9]{6}$' });
}
