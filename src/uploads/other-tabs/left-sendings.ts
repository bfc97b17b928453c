import { useEffect, useState } from 'react';
import { type Sending, sendings, useSendings } from '../sendings.ts';

/** Carries the names of what a logout has stopped in one tab to the Login page of the others; null asks for them. */
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('fairlead-left-sendings');

type Message = readonly string[] | null;

const namesOf = (all: readonly Sending[]): string[] =>
  all.flatMap(({ failure, deploymentName }) => (failure?.isSignedOut ? [deploymentName] : []));

/** Tells the other tabs what a logout has stopped here. */
function tell(): void {
  const names = namesOf(sendings.get());
  if (names.length > 0) channel?.postMessage(names satisfies Message);
}

// When it does, and when a tab asks later.
sendings.subscribe(tell);
channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === null) tell();
});

/** Returns the names of what a logout has stopped, here and in other tabs of this browser. */
export function useLeft(): { here: readonly string[]; elsewhere: readonly string[] } {
  const here = namesOf(useSendings());
  const [elsewhere, setElsewhere] = useState<readonly string[]>([]);
  useEffect(() => {
    const hear = ({ data }: MessageEvent<Message>) => {
      if (data !== null) setElsewhere((known) => [...new Set([...known, ...data])]);
    };
    channel?.addEventListener('message', hear);
    channel?.postMessage(null satisfies Message);
    return () => channel?.removeEventListener('message', hear);
  }, []);
  return { here, elsewhere };
}
