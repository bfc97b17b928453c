import { Check, CircleDashed, CircleX, Hand, LoaderCircle } from 'lucide-react';
import type { Destination } from '../../../routers/schemas/platforms/destination.ts';
import { Badge, type BadgeLook } from '../badge.tsx';
import { WAITING_FOR_YOU } from './waiting-for-you.ts';

const looks: Record<Destination['state'], BadgeLook> = {
  idle: { tone: 'unknown', icon: CircleDashed, word: 'Not published yet' },
  publishing: { tone: 'accent', icon: LoaderCircle, word: 'Publishing', isRunning: true },
  waiting: { tone: 'warn', icon: Hand, word: WAITING_FOR_YOU },
  live: { tone: 'good', icon: Check, word: 'Live' },
  failed: { tone: 'bad', icon: CircleX, word: 'Failed' },
  removing: { tone: 'unknown', icon: LoaderCircle, word: 'Removing', isRunning: true },
  removed: { tone: 'unknown', icon: Check, word: 'Removed' },
};

/** Returns the word of a state, the same in its badge and where several are named at once. */
export function destinationLabel(state: Destination['state']): string {
  return looks[state].word;
}

/** Shows the state of a deployment on one of its platforms. */
export function DestinationBadge({ state }: Pick<Destination, 'state'>) {
  const { tone, icon, word, isRunning } = looks[state];
  return (
    <Badge tone={tone} icon={icon} isRunning={isRunning}>
      {word}
    </Badge>
  );
}
