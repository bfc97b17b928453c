import { useEffect } from 'react';
import { REALTIME_RECONNECT_MS } from '../../routers/schemas/limits.ts';
import { queryClient } from '../api/query-client.ts';
import { closeConnection, expectRestart } from '../api/socket.ts';
import { trpcClient } from '../api/trpc.ts';
import { refreshUser } from '../api/user.ts';
import { applyEvent, refreshRunning } from './apply-event.ts';
import { type ChannelState, forgetChannel, rememberItem, setChannelState } from './channel.ts';

/** Holds the one subscription of a signed-in page. */
export function RealtimeProvider() {
  useEffect(() => {
    const stop = startStream();
    return () => {
      stop();
      closeConnection();
      forgetChannel();
    };
  }, []);
  return null;
}

/** Follows the account's events from now on, or after an error from the last one that was seen. */
function startStream(): () => void {
  let lastEventId: string | null = null;
  let running: { unsubscribe(): void } | null = null;
  let restart: ReturnType<typeof setTimeout> | undefined;
  let wasConnected = false;

  function open(): void {
    running = trpcClient.events.stream.subscribe(
      { lastEventId },
      {
        onData: (item) => {
          lastEventId = item.id;
          rememberItem(item.id, item.data);
          applyEvent({ queryClient, refreshUser: () => void refreshUser() }, item.data);
        },
        onConnectionStateChange: ({ state, error }) => {
          // This is tRPC's text for the server's notice of a restart.
          if (error?.message === 'Server requested reconnect') expectRestart();
          setChannelState(channelState(state, error !== null));
          if (state !== 'pending') return;
          // Progress is not stored: whatever was missed while the socket was away is fetched once.
          if (wasConnected) refreshRunning(queryClient);
          wasConnected = true;
        },
        // An error message ends a tRPC subscription for good; the channel comes back like a broken socket does.
        onError: () => {
          setChannelState('closed');
          restart = setTimeout(open, REALTIME_RECONNECT_MS);
        },
      },
    );
  }

  open();
  return () => {
    clearTimeout(restart);
    running?.unsubscribe();
  };
}

/** Translates tRPC's state; its `connecting` with an error is the wait before the next attempt. */
function channelState(state: 'idle' | 'connecting' | 'pending', hasFailed: boolean): ChannelState {
  if (state === 'pending') return 'open';
  return state === 'connecting' && !hasFailed ? 'connecting' : 'closed';
}
