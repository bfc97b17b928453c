import { FolderUp } from 'lucide-react';
import { useId, useRef } from 'react';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { Button } from '../../../components/button.tsx';
import { DropTarget, type DropTargetProps } from '../../../components/fields/drop-target.tsx';
import { Notice } from '../../../components/notice.tsx';
import { dropText } from '../../../lib/browser/is-touch.ts';
import { formatSize } from '../../../lib/format.ts';
import type { Selection } from '../../../uploads/selection/selection.ts';
import type { StoredSelection } from '../../../uploads/stored-selections.ts';
import { reselectTitle, stopReselect } from '../../../uploads/waiting-selection.ts';
import { ChooserInputs } from './chooser-inputs.tsx';
import { useDrop } from './use-drop.ts';

export type DropZoneProps = {
  onSelection: (selection: Selection) => void;
  title?: string | undefined;
  description?: string | undefined;
  shape?: DropTargetProps['shape'] | undefined;
  isWanted?: DropTargetProps['isWanted'] | undefined;
  /** The selection that a reload lost, and that must be chosen again. */
  wanted?: StoredSelection | null;
  /** True when what is still being read is wanted on the next page as well. */
  outlivesPage?: boolean;
  /** True while a drop from before a reload is being found again. */
  isRestoring?: boolean;
};

/**
 * A drop target with a button for a folder and one for a ZIP. While something is dragged, the whole page is the
 * target. A compact zone stands on a page whose first act is another, so its button is second there.
 */
export function DropZone({
  onSelection,
  title = 'Drop a folder or a ZIP',
  description = 'It stays private until you publish.',
  shape = 'tall',
  isWanted = false,
  wanted = null,
  outlivesPage = false,
  isRestoring = false,
}: DropZoneProps) {
  const { isOver, filesRead, problem, takeFiles } = useDrop(onSelection, outlivesPage);
  const folderInput = useRef<HTMLInputElement>(null);
  const zipInput = useRef<HTMLInputElement>(null);
  const inputId = useId();
  const isReading = filesRead !== null || isRestoring;
  const soFar = filesRead === null ? description : `${formatCount(filesRead, 'file')} so far`;
  return (
    <div className="flex flex-col gap-4">
      {wanted !== null && <ReselectPrompt record={wanted} />}
      <div className="relative" data-chosen={isReading || undefined}>
        <DropTarget
          {...{ shape, isOver, isWanted, description }}
          title={dropText(title)}
          reading={isReading && { title: 'Reading the files', description: soFar }}
          actions={
            <>
              <Button
                variant={shape === 'compact' ? undefined : 'primary'}
                className="relative z-1"
                isBusy={isReading}
                busyLabel="Reading…"
                onClick={() => folderInput.current?.click()}
              >
                Choose a folder
              </Button>
              <Button className="relative z-1" disabled={isReading} onClick={() => zipInput.current?.click()}>
                Choose a ZIP
              </Button>
            </>
          }
        />
        {/* The rest of the target for a pointer; a keyboard has the buttons. */}
        <label htmlFor={inputId} className="absolute inset-0 cursor-pointer rounded-card">
          <span className="sr-only">Folder to publish</span>
        </label>
        <ChooserInputs id={inputId} folder={folderInput} zip={zipInput} onFiles={takeFiles} />
        <div role="status" className="sr-only">
          {isReading ? 'Reading the files' : ''}
        </div>
        {problem !== null && (
          <p role="alert" className="mt-2 text-sm text-bad">
            {problem}
          </p>
        )}
        {isOver && <PageTarget />}
      </div>
    </div>
  );
}

/** Covers the page during a drag; it takes no pointer events, so that the drop reaches the page below. */
export function PageTarget() {
  return (
    <div
      aria-hidden
      className="pointer-events-none fixed inset-0 z-50 flex animate-appear items-center justify-center bg-scrim p-4"
    >
      <div className="flex size-full flex-col items-center justify-center gap-4 rounded-card border-2 border-dashed border-accent bg-surface-raised/95">
        <FolderUp className="size-8 text-accent" />
        <p className="text-xl font-semibold">Let go to read the files</p>
      </div>
    </div>
  );
}

/** Asks again for the files that a reload interrupted and the browser could not keep. */
function ReselectPrompt({ record }: { record: StoredSelection }) {
  const { publication, fileCount, totalBytes, noun } = record;
  const extent = `It held ${formatCount(fileCount, 'file')}, ${formatSize(totalBytes)}.`;
  return (
    <Notice
      tone="warn"
      title={`Choose ${reselectTitle(record)} again`}
      action={
        <Button size="sm" onClick={() => stopReselect(publication?.deployment.id ?? null)}>
          Not now
        </Button>
      }
    >
      {publication === null
        ? `The page was reloaded, and the ${noun} could not be kept. ${extent}`
        : `The page was reloaded while the ${noun} was being sent. ${extent} ${arrivedText(record)}What arrived is not sent again.`}
    </Notice>
  );
}

/** Describes the sent part. Of a ZIP only the server knows how much has arrived. */
function arrivedText({ noun, fileCount, publication }: StoredSelection): string {
  const arrived = publication?.arrivedFiles ?? 0;
  if (noun === 'ZIP' || arrived === 0) return '';
  return `The server has ${arrived.toLocaleString('en')} of ${formatCount(fileCount, 'file')}. `;
}
