/** A row of the file tree. `path` of a folder has no slash at its end. */
export type TreeRow = {
  path: string;
  name: string;
  level: number;
  kind: 'file' | 'folder';
  /** True for an open folder. */
  isOpen: boolean;
  position: number;
  siblings: number;
};

type Folder = { folders: Map<string, Folder>; files: string[] };

/** Returns the visible rows of a tree: folders first, each part in alphabetical order. */
export function treeRows(paths: Iterable<string>, isOpen: (folder: string) => boolean): TreeRow[] {
  const rows: TreeRow[] = [];
  const list = ({ folders, files }: Folder, prefix: string, level: number): void => {
    const siblings = folders.size + files.length;
    let position = 0;
    for (const name of [...folders.keys()].sort(byName)) {
      const path = prefix + name;
      position += 1;
      const row = { path, name, level, kind: 'folder', isOpen: isOpen(path), position, siblings } as const;
      rows.push(row);
      const folder = folders.get(name);
      if (row.isOpen && folder !== undefined) list(folder, `${path}/`, level + 1);
    }
    for (const name of files.sort(byName)) {
      position += 1;
      rows.push({ path: prefix + name, name, level, kind: 'file', isOpen: false, position, siblings });
    }
  };
  list(folderOf(paths), '', 1);
  return rows;
}

const byName = new Intl.Collator('en', { numeric: true }).compare;

function folderOf(paths: Iterable<string>): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let folder = root;
    for (const part of parts) {
      const next = folder.folders.get(part) ?? { folders: new Map(), files: [] };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(name);
  }
  return root;
}

/** Returns the folders around a path, the outermost first. */
export function foldersAround(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
