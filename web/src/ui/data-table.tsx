import type { MouseEvent, ReactNode } from 'react';
import styles from './data-table.module.css';

export type Column<Row> = {
  key: string;
  label: string;
  render: (row: Row) => ReactNode;
  /** For numbers and actions. */
  align?: 'start' | 'end';
  /** The label is for screen readers only. */
  isLabelHidden?: boolean;
  /** The header cell of the row. */
  isName?: boolean;
  /** Hidden first on narrow tables; cards show it. */
  isSpare?: boolean;
};

type DataTableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** Dimmed: exists but does not work. */
  isDim?: (row: Row) => boolean;
};

/**
 * A table; on narrow screens each row is a card. The roles are explicit because browsers drop them when `display`
 * changes.
 */
export function DataTable<Row>({ label, columns, rows, idOf, isDim }: DataTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <table className={styles.rows} role="table" aria-label={label}>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row">
          {columns.map(({ key, label: text, align, isLabelHidden, isSpare }) => (
            // biome-ignore lint/a11y/noRedundantRoles: see above
            <th key={key} role="columnheader" scope="col" data-align={align} data-spare={isSpare}>
              <span className={isLabelHidden ? 'visually-hidden' : undefined}>{text}</span>
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link of a row is reached with the keyboard */}
      <tbody role="rowgroup" onClick={openRow}>
        {rows.map((row) => (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          <tr key={idOf(row)} role="row" data-dim={isDim?.(row) || undefined}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A click on a row follows its first link, unless it hits a control or ends a text selection. */
function openRow({ target, ctrlKey, metaKey }: MouseEvent<HTMLElement>): void {
  // Events of menus bubble through React, although they are not in the row.
  if (!(target instanceof Element) || target.closest('a, button, input, select, textarea, label, summary') !== null)
    return;
  const link = target.closest('tr')?.querySelector<HTMLAnchorElement>('th a');
  if (!link || window.getSelection()?.isCollapsed === false) return;
  if (ctrlKey || metaKey) window.open(link.href);
  else link.click();
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { label, align, isLabelHidden, isName, isSpare, render } = column;
  if (isName)
    return (
      // biome-ignore lint/a11y/noRedundantRoles: see above
      <th role="rowheader" scope="row" data-align={align}>
        {render(row)}
      </th>
    );
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <td role="cell" data-align={align} data-spare={isSpare} data-label={isLabelHidden ? undefined : label}>
      {render(row)}
    </td>
  );
}
