import { useCallback, useEffect, useRef, useState } from 'react';
import { session } from '../../../api/session/session.ts';
import { type Selection, SelectionUnreadable } from '../../../uploads/selection/selection.ts';

export type Drop = {
  /** True while something is dragged over the page. */
  isOver: boolean;
  /** The number of files read so far while a folder is being read. */
  filesRead: number | null;
  /** The reason why the last one could not be read. */
  problem: string | null;
  takeFiles(list: FileList): void;
};

/** The last reading, perhaps of a page that was left; the next one takes its place. */
let running: AbortController | null = null;

/**
 * Makes the whole page a drop target while it is on screen, and reads drops. `onSelection` gets each folder or ZIP
 * that could be read; with `outlivesPage` also after the page was left, unless another account is here by then.
 */
export function useDrop(onSelection: (selection: Selection) => void, outlivesPage = false): Drop {
  const [isOver, setIsOver] = useState(false);
  const [filesRead, setFilesRead] = useState<number | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(onSelection);
  latest.current = onSelection;

  const read = useCallback(async (start: (signal: AbortSignal) => Promise<Selection>) => {
    running?.abort();
    const own = new AbortController();
    running = own;
    const owner = session.accountId();
    setProblem(null);
    setFilesRead(0);
    try {
      const selection = await start(own.signal);
      own.signal.throwIfAborted();
      setFilesRead(null);
      if (owner === null || owner === session.accountId()) latest.current(selection);
    } catch (cause) {
      if (own.signal.aborted) return;
      setFilesRead(null);
      setProblem(problemOf(cause));
    }
  }, []);

  useEffect(() => {
    const drop = (transfer: DataTransfer) => {
      // This is read before the first await: the list is empty afterwards.
      const entries = entriesOfDrop(transfer);
      if (entries.length === 0) return setProblem('That is not a file. Drop the folder or ZIP with your index.html.');
      void read(async (signal) => {
        const { readEntries } = await reader();
        return readEntries(entries, (progress) => setFilesRead(progress.filesRead), signal);
      });
    };
    const stopListening = listenForDrags(setIsOver, drop);
    return () => {
      stopListening();
      if (!outlivesPage) running?.abort();
    };
  }, [read, outlivesPage]);

  const takeFiles = useCallback(
    (list: FileList) => {
      // Closing the chooser without a choice is no error.
      if (list.length === 0) return;
      const files = [...list];
      void read(async () => (await reader()).readChosen(files));
    },
    [read],
  );

  return { isOver, filesRead, problem, takeFiles };
}

/** Reading folders and ZIPs is a part of publishing, which is loaded when something is chosen. */
const reader = () => import('../../../uploads/selection/select.ts');

/**
 * Takes the entries out of a drop. It must run before the first `await` of the handler: the list of a DataTransfer is
 * empty afterwards (HTML standard, drag data store).
 */
export function entriesOfDrop(transfer: Pick<DataTransfer, 'items'>): FileSystemEntry[] {
  return Array.from(transfer.items)
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
}

/**
 * Listens for drags. Moving over a child leaves its parent: the drag is only over when every entered element was left.
 */
function listenForDrags(setIsOver: (isOver: boolean) => void, onDrop: (transfer: DataTransfer) => void): () => void {
  const stop = new AbortController();
  let depth = 0;
  const listen = (
    name: 'dragenter' | 'dragleave' | 'dragover' | 'drop',
    listener: (transfer: DataTransfer, event: DragEvent) => void,
  ) => {
    const listenToFiles = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (dataTransfer?.types.includes('Files')) listener(dataTransfer, event);
    };
    document.addEventListener(name, listenToFiles, stop);
  };
  listen('dragenter', () => {
    depth += 1;
    setIsOver(true);
  });
  listen('dragleave', () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) setIsOver(false);
  });
  listen('dragover', (transfer, event) => {
    // Without it the browser opens the file in place of the page.
    event.preventDefault();
    transfer.dropEffect = 'copy';
  });
  listen('drop', (transfer, event) => {
    event.preventDefault();
    depth = 0;
    setIsOver(false);
    onDrop(transfer);
  });
  return () => stop.abort();
}

function problemOf(cause: unknown): string {
  if (cause instanceof SelectionUnreadable) return cause.message;
  return 'The files could not be read. Choose them again, or choose others.';
}
