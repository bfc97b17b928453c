import { useState } from 'react';
import { showToast } from '../../../../components/overlays/toast-store.ts';
import { contentOf, filesOf, pathsBelow, withContent, withContents, withMoved, withRemoved } from '../draft.ts';
import type { Editing } from '../use-draft.ts';
import { foldersAround } from './tree.ts';

/** The subject of the name dialog: a new file in a folder, or another name for a file or a folder. */
export type Naming = { path: string | null; initial: string };

const TAKEN = 'This name is already taken.';

/** Returns the acts on files of the tree, with its selection and open folders. */
export function useFilesActs(editing: Editing, onShown: () => void) {
  const { draft, active, change, tryChange, show } = editing;
  const { selected, openFolders, toggle, select, deselect } = useTreeState(active);
  const open = (path: string) => {
    select(path);
    show(path);
    onShown();
  };
  /** New files go into the selected folder, or beside the selected file. */
  const folder = selected === null ? '' : contentOf(draft, selected) === null ? `${selected}/` : folderOf(selected);

  /** Moves a file or a folder to another path; returns why it cannot be there, null when it can. */
  function move(from: string, to: string): string | null {
    if (to.startsWith(`${from}/`)) return 'A folder cannot be moved into itself.';
    if (pathsBelow(filesOf(draft), to).length > 0) return TAKEN;
    // Visible rows stay visible, even in a folder that moves.
    const isInView = active !== null && (active === from || active.startsWith(`${from}/`));
    const shown = isInView ? to + active.slice(from.length) : undefined;
    const problem = tryChange((before) => withMoved(before, from, to), shown);
    if (problem === null) select(to);
    return problem;
  }

  /** Moves a file or a folder into a folder, '' for the outermost, as the mouse does. */
  function moveInto(from: string, into: string): void {
    const to = into + from.slice(from.lastIndexOf('/') + 1);
    const problem = to === from ? null : move(from, to);
    if (problem !== null) showToast({ title: `${from} was not moved`, description: problem, variant: 'destructive' });
  }

  function upload(list: readonly File[]): void {
    const [first] = list;
    if (first === undefined) return;
    const isDone = change(
      (before) =>
        withContents(
          before,
          list.map((file) => [folder + file.name, { blob: file }]),
        ),
      folder + first.name,
    );
    if (isDone) open(folder + first.name);
  }

  function remove(path: string): void {
    if (change((before) => withRemoved(before, path))) deselect();
  }

  return {
    selected,
    openFolders,
    select,
    toggle,
    open,
    upload,
    remove,
    moveInto,
    ...useNaming(editing, folder, { open, move }),
  };
}

export type FilesActs = ReturnType<typeof useFilesActs>;

type NamingActs = { open: (path: string) => void; move: (from: string, to: string) => string | null };

/** Asks for the name of a new file in a folder, or for another name. */
function useNaming({ draft, tryChange }: Editing, folder: string, { open, move }: NamingActs) {
  const [naming, setNaming] = useState<Naming | null>(null);

  function name(to: string): string | null {
    const from = naming?.path ?? null;
    if (to === from) return null;
    if (to === '') return 'Enter a name';
    if (from === null) {
      if (pathsBelow(filesOf(draft), to).length > 0) return TAKEN;
      const problem = tryChange((before) => withContent(before, to, { text: '' }), to);
      if (problem === null) open(to);
      return problem;
    }
    return move(from, to);
  }

  return {
    naming,
    name,
    askNew: () => setNaming({ path: null, initial: folder }),
    askRename: (path: string) => setNaming({ path, initial: path }),
    endNaming: () => setNaming(null),
  };
}

/** Returns the folder of a file with its slash; '' for the outermost. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Holds the selected row of the tree, and the open folders. */
function useTreeState(active: string | null) {
  const [selected, setSelected] = useState(active);
  const [openFolders, setOpenFolders] = useState<ReadonlySet<string>>(() => new Set(foldersAround(active ?? '')));
  const toggle = (folder: string, isOpen: boolean) =>
    setOpenFolders((before) => {
      const next = new Set(before);
      if (isOpen) next.add(folder);
      else next.delete(folder);
      return next;
    });
  const select = (path: string) => {
    setSelected(path);
    setOpenFolders((before) => new Set([...before, ...foldersAround(path)]));
  };
  return { selected, openFolders, toggle, select, deselect: () => setSelected(null) };
}
