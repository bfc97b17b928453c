import { ChevronRight, File, FileImage, Folder } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { formatCount } from '../../../../../routers/schemas/format-count.ts';
import { classNames } from '../../../../components/class-names.ts';
import { imageType } from '../../../../lib/texts.ts';
import { type Changes, kindOf } from '../draft.ts';
import { type TreeRow, treeRows } from './tree.ts';
import { folderOf } from './use-files-acts.ts';

/** Nobody scrolls through more rows; the search finds the others. */
const ROWS_MAX = 1_000;

export type FileTreeProps = {
  paths: readonly string[];
  changes: Changes;
  openFolders: ReadonlySet<string>;
  /** The visible file. */
  active: string | null;
  /** The target of the buttons above: a file or a folder. */
  selected: string | null;
  onSelect: (path: string) => void;
  onToggle: (folder: string, isOpen: boolean) => void;
  onOpen: (path: string) => void;
  onRename: (path: string) => void;
  /** Moves the dragged path into a folder, which ends in a slash; null when nothing may be moved. */
  onMove: ((path: string, folder: string) => void) | null;
  onRemove: (path: string) => void;
};

/** Shows the files of a draft. Its keyboard follows the ARIA practices, with F2 to rename and Delete to delete. */
export function FileTree(props: FileTreeProps) {
  const { paths, openFolders, selected } = props;
  const all = useMemo(() => treeRows(paths, (folder) => openFolders.has(folder)), [paths, openFolders]);
  const rows = all.slice(0, ROWS_MAX);
  const focusable = rows.some(({ path }) => path === selected) ? selected : rows[0]?.path;
  const tree = useRef<HTMLDivElement>(null);
  const isMoving = useRef(false);
  const drag = useDragging(props.onMove);

  useEffect(() => {
    if (!isMoving.current || selected === null) return;
    isMoving.current = false;
    tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [selected]);

  function onKeyDown(event: KeyboardEvent, row: TreeRow) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'F2') props.onRename(row.path);
    else if (event.key === 'Delete') props.onRemove(row.path);
    else {
      const to = target(event.key, rows, row);
      if (to === null) return;
      if (typeof to === 'boolean') props.onToggle(row.path, to);
      else {
        isMoving.current = true;
        props.onSelect(to.path);
      }
    }
    event.preventDefault();
  }

  return (
    <div
      ref={tree}
      role="tree"
      aria-label="Files"
      {...drag.over('')}
      className={classNames('min-h-0 flex-1 overflow-y-auto py-1.5', drag.folder === '' && 'bg-accent-soft')}
    >
      {rows.map((row) => (
        <Row
          key={`${row.kind} ${row.path}`}
          tree={props}
          row={row}
          isFocusable={row.path === focusable}
          drag={drag}
          onKeyDown={onKeyDown}
        />
      ))}
      {all.length > rows.length && (
        <p className="px-3 py-2 text-xs text-ink-muted">
          {formatCount(all.length - rows.length, 'more file')}. Search to find them.
        </p>
      )}
    </div>
  );
}

type RowProps = {
  tree: FileTreeProps;
  row: TreeRow;
  isFocusable: boolean;
  drag: ReturnType<typeof useDragging>;
  onKeyDown: (event: KeyboardEvent, row: TreeRow) => void;
};

function Row({ tree, row, isFocusable, drag, onKeyDown }: RowProps) {
  const change = tree.changes.get(row.path);
  const isSelected = row.path === tree.selected;
  return (
    <button
      type="button"
      role="treeitem"
      tabIndex={isFocusable ? 0 : -1}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={row.kind === 'folder' ? row.isOpen : undefined}
      {...drag.from(row.path)}
      {...drag.over(row.kind === 'folder' ? `${row.path}/` : folderOf(row.path))}
      onKeyDown={(event) => onKeyDown(event, row)}
      onClick={() => {
        tree.onSelect(row.path);
        if (row.kind === 'folder') tree.onToggle(row.path, !row.isOpen);
        else tree.onOpen(row.path);
      }}
      style={{ paddingLeft: `${row.level * 14 - 4}px` }}
      className={classNames(
        'flex h-7 w-full items-center gap-1.5 pr-3 text-left text-sm focus-visible:-outline-offset-2 touch:h-11',
        isSelected || `${row.path}/` === drag.folder ? 'bg-accent-soft' : 'hover:bg-surface-hover',
        row.path === tree.active && 'font-medium',
      )}
    >
      <RowIcon row={row} />
      <span className="truncate">{row.name}</span>
      {change !== undefined && change.now !== null && <ChangeMark kind={kindOf(change)} />}
    </button>
  );
}

/** Returns the attributes that make a row draggable, and a drop target; on the keyboard F2 moves. */
function useDragging(onMove: FileTreeProps['onMove']) {
  const [path, setPath] = useState<string | null>(null);
  const [folder, setFolder] = useState<string | null>(null);
  const end = () => {
    setPath(null);
    setFolder(null);
  };
  const from = (own: string) => ({
    draggable: onMove !== null,
    onDragStart: (event: DragEvent) => {
      // Firefox drags nothing without it.
      event.dataTransfer?.setData('text/plain', own);
      setPath(own);
    },
    onDragEnd: end,
  });
  const over = (own: string) => ({
    onDragOver: (event: DragEvent) => {
      if (path === null) return;
      event.preventDefault();
      event.stopPropagation();
      setFolder(own);
    },
    onDrop: (event: DragEvent) => {
      if (path === null) return;
      event.preventDefault();
      event.stopPropagation();
      onMove?.(path, own);
      end();
    },
  });
  return { folder, from, over };
}

function RowIcon({ row }: { row: TreeRow }) {
  if (row.kind === 'file') {
    const Icon = imageType(row.path) === null ? File : FileImage;
    return <Icon className="ml-4.5 size-4 text-ink-faint" />;
  }
  return (
    <>
      <ChevronRight className={classNames('size-3 text-ink-faint transition-transform', row.isOpen && 'rotate-90')} />
      <Folder className="size-4 text-ink-muted" />
    </>
  );
}

/** Shows beside a name how it differs from the release. */
export function ChangeMark({ kind }: { kind: ReturnType<typeof kindOf> }) {
  const look = { added: 'text-good', changed: 'text-warn', removed: 'text-bad' } as const;
  return <span className={classNames('ml-auto shrink-0 pl-2 text-xs', look[kind])}>{LABELS[kind]}</span>;
}

const LABELS = { added: 'new', changed: 'edited', removed: 'deleted' } as const;

/** Returns the row that a key leads to, or whether it opens or closes this folder; null for any other key. */
function target(key: string, rows: readonly TreeRow[], row: TreeRow): TreeRow | boolean | null {
  const index = rows.indexOf(row);
  const isFolder = row.kind === 'folder';
  const parent = rows.slice(0, index).findLast(({ level }) => level < row.level) ?? null;
  if (key === 'ArrowDown') return rows[index + 1] ?? null;
  if (key === 'ArrowUp') return rows[index - 1] ?? null;
  if (key === 'Home') return rows[0] ?? null;
  if (key === 'End') return rows.at(-1) ?? null;
  if (key === 'ArrowRight') return isFolder ? !row.isOpen || (rows[index + 1] ?? null) : null;
  if (key === 'ArrowLeft') return isFolder && row.isOpen ? false : parent;
  return null;
}
