import { FilePlus, PenLine, Trash2, Upload } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { SearchField } from '../../../../components/fields/search-field.tsx';
import { IconButton } from '../../../../components/icon-button.tsx';
import { Tooltip } from '../../../../components/overlays/tooltip.tsx';
import { type Draft, filesOf } from '../draft.ts';
import { FileTree } from './file-tree.tsx';
import { SearchResults } from './search-results.tsx';
import type { FilesActs } from './use-files-acts.ts';

export type FilesPaneProps = {
  draft: Draft;
  active: string | null;
  isReadOnly: boolean;
  acts: FilesActs;
  /** Opens a match of a search; `line` is null for a file as a whole. */
  onFind: (path: string, line: number | null) => void;
};

/** The tree of files, with the acts on the selected one above it. */
export function FilesPane({ draft, active, isReadOnly, acts, onFind }: FilesPaneProps) {
  const [words, setWords] = useState('');
  const names = [...filesOf(draft).keys()].join('\0');
  const paths = useMemo(() => (names === '' ? [] : names.split('\0')), [names]);
  return (
    <>
      <FilesBar isReadOnly={isReadOnly} acts={acts} />
      {paths.length > 0 && (
        <div className="shrink-0 border-b border-line p-1.5">
          <SearchField
            label="Search in all files"
            placeholder="Search in all files"
            value={words}
            onValueChange={setWords}
          />
        </div>
      )}
      {words.trim() !== '' ? (
        <SearchResults draft={draft} words={words} onOpen={onFind} />
      ) : paths.length === 0 ? (
        <p className="p-4 text-sm text-ink-muted">No files yet. Make a new one, or upload some.</p>
      ) : (
        <FileTree
          paths={paths}
          changes={draft.changes}
          openFolders={acts.openFolders}
          active={active}
          selected={acts.selected}
          onSelect={acts.select}
          onToggle={acts.toggle}
          onOpen={acts.open}
          onRename={isReadOnly ? () => undefined : acts.askRename}
          onMove={isReadOnly ? null : acts.moveInto}
          onRemove={isReadOnly ? () => undefined : acts.remove}
        />
      )}
    </>
  );
}

function FilesBar({ isReadOnly, acts }: Pick<FilesPaneProps, 'isReadOnly' | 'acts'>) {
  const input = useRef<HTMLInputElement>(null);
  const { selected } = acts;
  const buttons = [
    { label: 'New file', icon: FilePlus, act: acts.askNew, needs: false },
    { label: 'Upload files', icon: Upload, act: () => input.current?.click(), needs: false },
    { label: 'Rename or move', icon: PenLine, act: () => selected !== null && acts.askRename(selected), needs: true },
    { label: 'Delete', icon: Trash2, act: () => selected !== null && acts.remove(selected), needs: true },
  ];
  return (
    <div className="flex h-control shrink-0 items-center gap-0.5 border-b border-line bg-surface-sunken px-1.5">
      <h2 className="mr-auto pl-1.5 text-sm font-medium">Files</h2>
      {!isReadOnly &&
        buttons.map(({ label, icon: Icon, act, needs }) => (
          <Tooltip key={label} content={label}>
            <IconButton label={label} disabled={needs && selected === null} onClick={act}>
              <Icon />
            </IconButton>
          </Tooltip>
        ))}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to add"
        onChange={({ target }) => {
          acts.upload([...(target.files ?? [])]);
          // Choosing the same again must be a change again.
          target.value = '';
        }}
      />
    </div>
  );
}
