import { lazy, Suspense } from 'react';
import { Button } from '../../components/button.tsx';
import { DropTarget } from '../../components/drop-target.tsx';
import type { QuickDropProps } from './quick-drop.tsx';

// Reading folders is no part of a first look at a page: it comes after the first paint.
const QuickDrop = lazy(async () => ({ default: (await import('./quick-drop.tsx')).QuickDrop }));

/** The place to drop a folder or a ZIP, in a file of its own; until it can take something, the same at the same size. */
export function QuickDropLater(props: QuickDropProps) {
  return (
    <Suspense
      fallback={
        <DropTarget
          {...props}
          actions={
            <>
              <Button variant="primary" disabled>
                Choose a folder
              </Button>
              <Button disabled>Choose a ZIP</Button>
            </>
          }
        />
      }
    >
      <QuickDrop {...props} />
    </Suspense>
  );
}
