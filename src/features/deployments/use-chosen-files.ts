import { setPendingDrop, useIsRestoring, usePendingDrop } from '../../api/pending-drop.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import { type ChosenFiles, useUnderstood } from './chosen-files.ts';

/** The folder or ZIP that waits to be published, chosen here or on an earlier page. */
export function useChosenFiles(): ChosenFiles {
  return useUnderstood({
    folder: usePendingDrop(),
    asked: useAskedFor(null),
    isRestoring: useIsRestoring(),
    choose: setPendingDrop,
  });
}
