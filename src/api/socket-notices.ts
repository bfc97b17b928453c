/**
 * Decides which changes of the realtime connection a person is told. The first opening is silent, a return is only
 * shown after a break that was, and a break that the server announced is only shown once the next attempt has failed
 * as well.
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
  let isBreakReported = false;
  /** True once it was open: a connection that never worked cannot be lost. */
  let wasEverOpen = false;

  function notify(): void {
    if (isBreakReported || !wasEverOpen) return;
    isBreakReported = true;
    onDisconnected();
  }

  return {
    opened(): void {
      isOpen = true;
      wasEverOpen = true;
      isAnnounced = false;
      if (isBreakReported) onConnected();
      isBreakReported = false;
    },
    closed(): void {
      isOpen = false;
      if (!isAnnounced) notify();
    },
    announceRestart(): void {
      isAnnounced = true;
    },
    /** Reports an attempt to reconnect that got no connection. */
    attemptFailed(): void {
      if (!isOpen) notify();
    },
    reset(): void {
      isOpen = false;
      isAnnounced = false;
      isBreakReported = false;
      wasEverOpen = false;
    },
  };
}
