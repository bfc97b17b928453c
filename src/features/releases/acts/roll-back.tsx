import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { trpc } from '../../../api/trpc.ts';
import { Button, type ButtonProps } from '../../../components/button.tsx';
import { lazyDialog } from '../../../components/overlays/lazy-dialog.tsx';
import { goneBackAt, wayTexts } from './going-back.ts';
import type { RollBackTarget } from './roll-back-dialog.tsx';

const OpenDialog = lazyDialog(async () => (await import('./roll-back-dialog.tsx')).OpenRollBackDialog);

export type RollBackDialogProps = { target: RollBackTarget | null; onClose: () => void };

/** Asks before a rollback while there is a target, and leads to its release, which shows the rollback. */
export function RollBackDialog({ target, onClose }: RollBackDialogProps) {
  return target && <OpenDialog target={target} onClose={onClose} />;
}

/** The button that asks whether to roll back. */
export function RollBackButton({
  target,
  ...look
}: { target: RollBackTarget } & Pick<ButtonProps, 'size' | 'variant'>) {
  const [isAsking, setAsking] = useState(false);
  const { label, arrow } = wayTexts(target);
  return (
    <>
      <Button {...look} onClick={() => setAsking(true)}>
        <Undo2 className={arrow} /> {label}
      </Button>
      <RollBackDialog target={isAsking ? target : null} onClose={() => setAsking(false)} />
    </>
  );
}

type RollBackToEarlierProps = {
  deploymentId: string;
  /** The number of the live release. */
  serving: number;
};

/** Goes back to the release that was live before; its place is reserved until it is known whether there is one. */
export function RollBackToEarlier({ deploymentId, serving }: RollBackToEarlierProps) {
  const { data: live } = trpc.releases.get.useQuery({ deploymentId, number: serving });
  if (live && (live.replaced === null || goneBackAt(live) !== null)) return null;
  return (
    <div className="flex min-h-control-sm">
      {live && <RollBackButton target={{ ...live, ...live.replaced }} size="sm" />}
    </div>
  );
}
