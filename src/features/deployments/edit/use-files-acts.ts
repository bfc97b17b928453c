import { useState } from 'react';
import { contentOf, filesOf, pathsBelow, withContent, withContents, withMoved, withRemoved } from './draft.ts';
import { foldersAround } from './tree.ts';
import type { Editing } from './use-draft.ts';

/** What the name dialog is open for: a new file in a folder, or another name for a file or a folder. */
export type Naming = { path: string | null; initial: string };

/** What a person does with the files of the tree, and what is selected and open there. */
export function useFilesActs({ draft, active, change, show }: Editing, onShown: () => void) {
  const [selected, setSelected] = useState(active);
  const [openFolders, setOpenFolders] = useState<ReadonlySet<string>>(() => new Set(foldersAround(active ?? '')));
  const [naming, setNaming] = useState<Naming | null>(null);

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
  const open = (path: string) => {
    select(path);
    show(path);
    onShown();
  };
  /** Where new files go: into the selected folder, or beside the selected file. */
  const folder = selected === null ? '' : contentOf(draft, selected) === null ? `${selected}/` : folderOf(selected);

  function name(to: string): string | null {
    const files = filesOf(draft);
    const from = naming?.path ?? null;
    if (to === from) return null;
    if (to === '') return 'Enter a name';
    if (pathsBelow(files, to).length > 0) return 'There is one of this name already.';
    if (from === null) {
      if (!change((before) => withContent(before, to, { text: '' }), to)) return 'This name cannot be published.';
      open(to);
      return null;
    }
    if (to.startsWith(`${from}/`)) return 'A folder cannot be moved into itself.';
    if (!change((before) => withMoved(before, from, to), files.has(from) && active === from ? to : undefined))
      return 'This name cannot be published.';
    select(to);
    return null;
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
    if (change((before) => withRemoved(before, path))) setSelected(null);
  }

  return {
    selected,
    openFolders,
    naming,
    select,
    toggle,
    open,
    upload,
    remove,
    name,
    askNew: () => setNaming({ path: null, initial: folder }),
    askRename: (path: string) => setNaming({ path, initial: path }),
    endNaming: () => setNaming(null),
  };
}

export type FilesActs = ReturnType<typeof useFilesActs>;

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
