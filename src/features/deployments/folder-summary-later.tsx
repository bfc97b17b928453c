import { lazy, Suspense } from 'react';
import type { FolderSummaryProps } from './folder-summary.tsx';

export const loadFolderSummary = async () => ({ default: (await import('./folder-summary.tsx')).FolderSummary });
const FolderSummary = lazy(loadFolderSummary);

/** The summary in a file of its own: `useFolderReport` fetches it before a folder is dropped. */
export function FolderSummaryLater(props: FolderSummaryProps) {
  return (
    <Suspense fallback={null}>
      <FolderSummary {...props} />
    </Suspense>
  );
}
