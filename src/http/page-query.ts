import Type, { type TSchema } from 'typebox';
import { said } from './contract.ts';

export const defaultLimit = 25;
export const maxLimit = 100;

/**
 * `limit` and `cursor`, to spread into the query of a list: `Type.Object({ ...pageQuery, kind: ... })`. What passed
 * goes to `readPage`, which knows the default.
 */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      ...said('Rows on a page.', '每页的行数。'),
      minimum: 1,
      maximum: maxLimit,
      default: defaultLimit,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...said(
        '`next_cursor` of the page before. It belongs to this list and these filters; without it the list starts anew.',
        '上一页的 `next_cursor`。它只对同一列表和同一组筛选条件有效；省略则从第一页开始。',
      ),
    }),
  ),
};

/** The query of a list without filters. */
export const plainPageQuery = Type.Object(pageQuery);

/** The answer of a list: a cursor page of `row` (interface 2.6). Further fields may stand beside. */
export function pageSchema<Row extends TSchema>(row: Row) {
  return Type.Object({
    data: Type.Array(row, said('The rows of this page.', '本页的行。')),
    next_cursor: nullable(
      Type.String(said('Pass it as `cursor` to get the next page.', '作为 `cursor` 传入即可获取下一页。')),
      said('Null on the last page.', '最后一页为 null。'),
    ),
    total_count: Type.Integer({
      ...said('Rows on all pages under these filters.', '符合筛选条件的全部行数。'),
      minimum: 0,
    }),
  });
}

/** A field that is always there and may be null. */
export function nullable<Value extends TSchema>(value: Value, options: Record<string, unknown> = {}) {
  return Type.Union([value, Type.Null()], options);
}

const slugPattern = '[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?';

/** Address of a project, `{owner}/{project}`. */
export const projectPattern = `^${slugPattern}/${slugPattern}$`;

/** A filter by project. */
export function projectAddress(text: { description: string; 'x-zh': string }) {
  return Type.Optional(Type.String({ ...text, pattern: projectPattern }));
}

/** RFC 3339, UTC, milliseconds. */
export function timestamp(text: { description: string; 'x-zh': string }) {
  return Type.String({ ...text, format: 'date-time' });
}

/** Credits as a caller may write them. */
export const creditsPattern = '^[0-9]{1,12}(\\.[0-9]{1,6})?$';

/** Credits: a decimal number with exactly six places, as text. */
export function creditsText(text: { description: string; 'x-zh': string }) {
  return Type.String({ ...text, pattern: '^-?[0-9]+\\.[0-9]{6}$' });
}
