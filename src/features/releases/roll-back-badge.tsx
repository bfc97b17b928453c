import { CircleX, Redo2, Undo2 } from 'lucide-react';
import type { RollBack } from '../../../routers/schemas/releases.ts';
import { Badge } from '../../components/badge.tsx';
import { StateBadge } from '../../components/states/state-badge.tsx';

export type RollBackBadgeProps = Pick<RollBack, 'state'> & {
  /** True when a later release than the one before was brought back. */
  isForward?: boolean;
};

export function RollBackBadge({ state, isForward = false }: RollBackBadgeProps) {
  if (state === 'running') return <StateBadge state="switching" />;
  if (state === 'failed') {
    return (
      <Badge tone="bad" icon={CircleX}>
        {isForward ? 'Not brought back' : 'Rollback failed'}
      </Badge>
    );
  }
  return (
    <Badge tone="unknown" icon={isForward ? Redo2 : Undo2}>
      {isForward ? 'Brought back' : 'Rolled back'}
    </Badge>
  );
}
