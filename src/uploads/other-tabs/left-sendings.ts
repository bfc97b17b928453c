import { useEffect, useState } from 'react';
import { session } from '../../api/session/session.ts';
import { SESSION_TEXTS } from '../../api/session/session-errors.ts';
import { type Sending, sendings, useSendings } from '../sendings.ts';

/** Carries the names of what a logout has stopped in one tab to the Login page of the others; null asks for them. */
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('fairlead-left-sendings');

const ASK_AGAIN_MS = 2_000;

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

// Nobody can log in to a deleted account to finish anything.
session.onAccountChange((reason) => {
  if (reason !== SESSION_TEXTS.accountDeleted) return;
  for (const { control } of sendings.get()) {
    control.cancel();
    control.forget();
  }
});

/** Returns the names of what a logout has stopped, here and in other tabs of this browser. */
export function useLeft(): { here: readonly string[]; elsewhere: readonly string[] } {
  const here = namesOf(useSendings());
  const [[before, now], setHeard] = useState<[readonly string[], readonly string[]]>([[], []]);
  useEffect(() => {
    const hear = ({ data }: MessageEvent<Message>) => {
      if (data !== null) setHeard(([earlier, latest]) => [earlier, [...latest, ...data]]);
    };
    // A tab that was closed says nothing, so all are asked again: what no answer names any more is dropped.
    const ask = () => {
      setHeard(([, latest]) => [latest, []]);
      channel?.postMessage(null satisfies Message);
    };
    channel?.addEventListener('message', hear);
    ask();
    const timer = setInterval(ask, ASK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      channel?.removeEventListener('message', hear);
    };
  }, []);
  return { here, elsewhere: [...new Set([...before, ...now])] };
}
