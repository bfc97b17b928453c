/**
 * Decides when the flips of the realtime connection are told:
 * the first opening is no flip, 'connected' comes only after a 'disconnected', and a break that the server announced is
 * told only when the attempt after it has failed as well.
 */
export function createFlipReporter({
  onConnected,
  onDisconnected,
}: {
  onConnected: () => void;
  onDisconnected: () => void;
}) {
  let isOpen = false;
  let isAnnounced = false;
  let isTold = false;
  /** Whether it was open before the break: a connection that never stood cannot be lost. */
  let wasOpen = false;

  function tell(): void {
    if (isTold || !wasOpen) return;
    isTold = true;
    onDisconnected();
  }

  return {
    opened(): void {
      isOpen = true;
      wasOpen = true;
      isAnnounced = false;
      if (isTold) onConnected();
      isTold = false;
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
      isTold = false;
      wasOpen = false;
    },
  };
}
