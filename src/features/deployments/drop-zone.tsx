import { FolderUp } from 'lucide-react';
import { useId, useRef } from 'react';
import type { PickedFolder } from '../../api/upload-folder.ts';
import { Button } from '../../components/button.tsx';
import { DropTarget, type DropTargetProps } from '../../components/drop-target.tsx';
import { formatCount } from '../../lib/format.ts';
import { useFolderDrop } from './use-folder-drop.ts';

export type DropZoneProps = {
  onFolder: (folder: PickedFolder) => void;
  title?: string | undefined;
  description?: string | undefined;
  shape?: DropTargetProps['shape'];
};

/** One big target that is a button as well; while something is dragged, the whole page is the target. */
export function DropZone({
  onFolder,
  title = 'Drop a folder here',
  description = 'It stays private until you publish.',
  shape = 'tall',
}: DropZoneProps) {
  const { isOver, filesRead, problem, takeFiles } = useFolderDrop(onFolder);
  const input = useRef<HTMLInputElement>(null);
  const inputId = useId();
  const isReading = filesRead !== null;
  return (
    <div className="relative">
      <DropTarget
        shape={shape}
        isOver={isOver}
        title={isReading ? 'Reading the folder' : title}
        description={isReading ? `${formatCount(filesRead, 'file')} so far` : description}
        actions={
          <Button
            variant="primary"
            className="relative z-1"
            isBusy={isReading}
            busyLabel="Reading…"
            onClick={() => input.current?.click()}
          >
            Choose a folder
          </Button>
        }
      />
      {/* The rest of the target for a pointer; a keyboard has the button. */}
      <label htmlFor={inputId} className="absolute inset-0 cursor-pointer rounded-card">
        <span className="sr-only">Folder to publish</span>
      </label>
      <input
        ref={input}
        id={inputId}
        type="file"
        multiple
        webkitdirectory=""
        hidden
        onChange={(event) => {
          if (event.target.files) takeFiles(event.target.files);
          // Choosing the same folder again must be a change again.
          event.target.value = '';
        }}
      />
      <div role="status" className="sr-only">
        {isReading ? 'Reading the folder' : ''}
      </div>
      {problem !== null && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {isOver && <PageTarget />}
    </div>
  );
}

/** Says that letting go anywhere will do. It lets the drag through. */
function PageTarget() {
  return (
    <div
      aria-hidden
      className="pointer-events-none fixed inset-0 z-50 flex animate-appear items-center justify-center bg-scrim p-4"
    >
      <div className="flex size-full flex-col items-center justify-center gap-4 rounded-card border-2 border-dashed border-accent bg-surface-raised/95">
        <FolderUp className="size-8 text-accent" />
        <p className="text-xl font-semibold">Let go to read the folder</p>
      </div>
    </div>
  );
}
