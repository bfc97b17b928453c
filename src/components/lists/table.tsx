import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';

export type TableProps = {
  /** The name of the table for screen readers. */
  label: string;
  /** The heads of the columns; an empty one is a column of actions. */
  columns: readonly { key: string; title: string; className?: string | undefined }[];
  /** True when the heads have the widths on a wide screen: columns of two tables then stand in line. */
  isFixed?: boolean;
  /** One `TableRow` for each row. */
  children: ReactNode;
};

/** CSS that removes a table's display removes its meaning too: on small screens the roles must be written out. */
const roles = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

/**
 * A table; under 640 px each row is a card of its own, or under 1280 px within `data-wide`, for columns that need
 * more room (the variant `row` of base.css).
 */
export function Table({ label, columns, isFixed = false, children }: TableProps) {
  return (
    <table
      {...roles.table}
      aria-label={label}
      className={classNames('block w-full text-left row:table', isFixed && 'xl:table-fixed')}
    >
      <thead {...roles.rowgroup} className="sr-only row:not-sr-only row:table-header-group">
        <tr {...roles.row} className="border-b border-line">
          {columns.map(({ key, title, className }) => (
            <th
              key={key}
              {...roles.columnheader}
              scope="col"
              className={classNames(
                'h-10 px-4 text-xs font-medium whitespace-nowrap text-ink-muted row:first:pl-5 row:last:pr-5',
                className,
              )}
            >
              {title === '' ? <span className="sr-only">Actions</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...roles.rowgroup} className="block divide-y divide-line row:table-row-group">
        {children}
      </tbody>
    </table>
  );
}

export function TableRow({ className, ...rest }: ComponentProps<'tr'>) {
  return (
    <tr {...rest} {...roles.row} className={classNames('relative block px-4 py-3 row:table-row row:p-0', className)} />
  );
}

export type TableCellProps = ComponentProps<'td'> & {
  /** The name of the column, shown before the value on a small screen; a value without it needs none. */
  label?: string | undefined;
  /** Puts the cell at the top right of the card on a small screen: the row's menu. */
  isCorner?: boolean | undefined;
};

export function TableCell({ label, isCorner = false, className, children, ...rest }: TableCellProps) {
  return (
    <td
      {...rest}
      {...roles.cell}
      className={classNames(
        'row:static row:table-cell row:h-12 row:px-4 row:py-2 row:align-middle row:first:pl-5 row:last:pr-5',
        isCorner ? 'absolute top-2 right-2 row:text-right' : 'flex min-w-0 items-baseline gap-3 py-0.5',
        className,
      )}
    >
      {label !== undefined && (
        <span aria-hidden className="w-24 shrink-0 text-sm text-ink-muted row:hidden">
          {label}
        </span>
      )}
      {children}
    </td>
  );
}
