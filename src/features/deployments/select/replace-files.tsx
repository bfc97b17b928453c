import { Ellipsis, FileArchive, Folder, X } from 'lucide-react';
import { type RefObject, useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import { IconButton } from '../../../components/icon-button.tsx';
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx';
import type { Selection } from '../../../uploads/selection/selection.ts';
import { ChooserInputs } from './chooser-inputs.tsx';
import { PageTarget } from './drop-zone.tsx';
import { useDrop } from './use-drop.ts';

export type ReplaceFilesProps = {
  noun: 'folder' | 'ZIP';
  /** The chooser for a folder, which others may open. */
  folder: RefObject<HTMLInputElement | null>;
  /** Called with null to remove the files. */
  onReplace: (selection: Selection | null) => void;
};

/** Replaces these files by others; they stay until the others have been read, so that a cancel loses nothing. */
export function ReplaceFiles({ noun, folder, onReplace }: ReplaceFilesProps) {
  const { isOver, filesRead, problem, takeFiles } = useDrop(onReplace);
  const zip = useRef<HTMLInputElement>(null);
  const [same, other] = noun === 'ZIP' ? [zip, folder] : [folder, zip];
  return (
    <>
      <div className="flex shrink-0 gap-1 max-sm:w-full">
        <Button size="sm" isBusy={filesRead !== null} busyLabel="Reading…" onClick={() => same.current?.click()}>
          Replace
        </Button>
        <Menu
          trigger={
            <IconButton label="More ways to choose">
              <Ellipsis />
            </IconButton>
          }
        >
          <MenuItem onSelect={() => other.current?.click()}>
            {noun === 'ZIP' ? <Folder /> : <FileArchive />} Choose a {noun === 'ZIP' ? 'folder' : 'ZIP'}
          </MenuItem>
          <MenuItem onSelect={() => onReplace(null)}>
            <X /> Remove
          </MenuItem>
        </Menu>
      </div>
      <ChooserInputs folder={folder} zip={zip} onFiles={takeFiles} />
      {problem !== null && (
        <p role="alert" className="w-full text-sm text-bad">
          {problem} Your earlier {noun} is still chosen.
        </p>
      )}
      {isOver && <PageTarget />}
    </>
  );
}
