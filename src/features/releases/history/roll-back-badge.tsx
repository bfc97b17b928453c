import { CircleX, LoaderCircle, Undo2 } from 'lucide-react';
import type { RollBack } from '../../../../routers/schemas/releases.ts';
import { Badge } from '../../../components/badge.tsx';

export function RollBackBadge({ state }: Pick<RollBack, 'state'>) {
  if (state === 'running') {
    return (
      <Badge tone="accent" icon={LoaderCircle} isRunning>
        Rolling back
      </Badge>
    );
  }
  if (state === 'failed') {
    return (
      <Badge tone="bad" icon={CircleX}>
        Rollback failed
      </Badge>
    );
  }
  return (
    <Badge tone="unknown" icon={Undo2}>
      Rolled back
    </Badge>
  );
}
