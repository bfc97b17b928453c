import { Undo2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button, type ButtonProps } from '../../components/button.tsx';
import { useWhenIdle } from '../../lib/later.ts';
import type { RollBackTarget } from './roll-back-dialog.tsx';

const loadDialog = async () => ({ default: (await import('./roll-back-dialog.tsx')).RollBackDialog });
const Dialog = lazy(loadDialog);

/** The dialog of the second click, while there is a release to roll back to. */
export function RollBackDialog({ target, onClose }: { target: RollBackTarget | null; onClose: () => void }) {
  useWhenIdle(loadDialog);
  return <Suspense fallback={null}>{target !== null && <Dialog target={target} onClose={onClose} />}</Suspense>;
}

/** The first of the two clicks. */
export function RollBackButton({
  target,
  ...look
}: { target: RollBackTarget } & Pick<ButtonProps, 'size' | 'variant'>) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...look} onClick={() => setAsking(true)}>
        <Undo2 /> Roll back<span className="sr-only"> to release {target.number}</span>
      </Button>
      <RollBackDialog target={isAsking ? target : null} onClose={() => setAsking(false)} />
    </>
  );
}
