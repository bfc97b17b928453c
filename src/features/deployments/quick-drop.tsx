import { lazy, Suspense } from 'react';
import { useNavigate } from 'react-router';
import { setPendingDrop, useIsRestoring, usePendingDrop } from '../../api/pending-drop.ts';
import { useAskedFor } from '../../api/upload-asked.ts';
import type { Picked } from '../../api/upload-picks.ts';
import { useUser } from '../../api/user.ts';
import { useWhenIdle } from '../../lib/later.ts';
import { paths } from '../../lib/paths.ts';
import { DropZone, type DropZoneProps } from './drop-zone.tsx';

const loadSummary = async () => ({ default: (await import('./visitor-summary.tsx')).VisitorSummary });
const VisitorSummary = lazy(loadSummary);

export type QuickDropProps = Required<Pick<DropZoneProps, 'shape'>> & { title: string; description: string };

/**
 * A place to drop a folder or a ZIP that leads on by itself: to Quick Deploy for who is signed in; a visitor sees it
 * read and understood first, and finds it again after registration and trial.
 */
export function QuickDrop(props: QuickDropProps) {
  const navigate = useNavigate();
  const { user } = useUser();
  const pending = usePendingDrop();
  const asked = useAskedFor(null);
  const isRestoring = useIsRestoring();
  const isVisitor = user === null;
  useWhenIdle(loadSummary);

  function take(folder: Picked) {
    setPendingDrop(folder);
    if (!isVisitor) void navigate(paths.quickDeploy);
  }

  if (isVisitor && pending !== null) {
    return (
      <Suspense fallback={null}>
        <VisitorSummary folder={pending} />
      </Suspense>
    );
  }
  return <DropZone {...props} asked={asked} isRestoring={isRestoring && isVisitor} onFolder={take} />;
}
