/**
 * Decides which changes of the realtime connection a person is told of. The first opening is not told, the return only
 * after a break that was, and a break that the server announced only once the attempt after it has failed as well.
 */
export function createConnectionNotices({
  onConnected,
  onDisconnected,
}: {
  onConnected: () => void;
  onDisconnected: () => void;
}) {
  let isOpen = false;
  let isAnnounced = false;
  let isBreakTold = false;
  /** Whether it was open before the break: a connection that never stood cannot be lost. */
  let wasEverOpen = false;

  function tell(): void {
    if (isBreakTold || !wasEverOpen) return;
    isBreakTold = true;
    onDisconnected();
  }

  return {
    opened(): void {
      isOpen = true;
      wasEverOpen = true;
      isAnnounced = false;
      if (isBreakTold) onConnected();
      isBreakTold = false;
    },
    closed(): void {
      isOpen = false;
      if (!isAnnounced) tell();
    },
    announceRestart(): void {
      isAnnounced = true;
    },
    /** An attempt to reconnect got no connection. */
    attemptFailed(): void {
      if (!isOpen) tell();
    },
    reset(): void {
      isOpen = false;
      isAnnounced = false;
      isBreakTold = false;
      wasEverOpen = false;
    },
  };
}
