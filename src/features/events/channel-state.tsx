import { LoaderCircle, Unplug, Zap } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import type { ChannelState } from '../../realtime/channel.ts';

/** The state of the realtime channel, in the words of its toasts. */
export function ChannelStateBadge({ state }: { state: ChannelState }) {
  if (state === 'open') {
    return (
      <Badge tone="good" icon={Zap}>
        Connected
      </Badge>
    );
  }
  if (state === 'connecting') {
    return (
      <Badge tone="accent" icon={LoaderCircle} isRunning>
        Connecting
      </Badge>
    );
  }
  return (
    <Badge tone="unknown" icon={Unplug}>
      Disconnected
    </Badge>
  );
}
