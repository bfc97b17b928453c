import { createWSClient, type TRPCLink, wsLink } from '@trpc/client';
import type { AppRouter } from '../../routers/_app.ts';
import { REALTIME_RECONNECT_MS } from '../../routers/schemas/limits.ts';
import { showToast } from '../components/overlays/toast-store.ts';
import { session } from './session/session.ts';
import { createConnectionNotices } from './socket-notices.ts';
import { transformer } from './transformer.ts';

type WebSocketClient = ReturnType<typeof createWSClient>;

/** RFC 6455, section 7.4.1: the server closes with this code when it restarts. */
const SERVICE_RESTART = 1012;
/** Close code of the server: the session of the socket was ended. */
const SESSION_REVOKED = 4401;

/**
 * Equals the server's interval. tRPC's default gives an answer one second, which a busy machine or a slow line
 * exceeds: a working connection would be reported as lost.
 */
const PING_EVERY_MS = 25_000;
const PONG_WITHIN_MS = 10_000;

let current: { client: WebSocketClient; close: () => void } | null = null;

/** Carries the subscriptions over the one socket of this page, opened when the first of them starts. */
export const subscriptionLink: TRPCLink<AppRouter> = (runtime) => (request) => {
  current ??= openConnection();
  return wsLink<AppRouter>({ client: current.client, transformer })(runtime)(request);
};

/** Closes the socket for good and silently, because the person signed out. The next subscription opens another. */
export function closeConnection(): void {
  current?.close();
  current = null;
}

/** Announces a break, because the server said that it restarts. */
export function expectRestart(): void {
  notices.announceRestart();
}

const notices = createConnectionNotices({
  onConnected: () => showToast({ title: 'Connected', description: 'Real-time updates are now active.' }),
  onDisconnected: () =>
    showToast({ title: 'Disconnected', description: 'Real-time updates are temporarily unavailable.' }),
});

function openConnection(): { client: WebSocketClient; close: () => void } {
  let isClosing = false;
  notices.reset();
  const client = createWSClient({
    // The token is validated before the socket opens: a refusal ends the session here, like that of any call.
    url: async () => {
      await session.freshToken();
      return webSocketUrl();
    },
    connectionParams: async () => ({ token: await session.freshToken() }),
    keepAlive: { enabled: true, intervalMs: PING_EVERY_MS, pongTimeoutMs: PONG_WITHIN_MS },
    retryDelayMs: (failedAttempts) => {
      if (failedAttempts > 0) notices.attemptFailed();
      return REALTIME_RECONNECT_MS;
    },
    onOpen: () => notices.opened(),
    onClose: (cause) => {
      if (isClosing) return;
      if (cause?.code === SESSION_REVOKED) {
        // The notice of the session explains it; 'Disconnected' beside it would only puzzle.
        session.distrustToken().catch(() => {});
        return;
      }
      if (cause?.code === SERVICE_RESTART) notices.announceRestart();
      notices.closed();
    },
  });
  return {
    client,
    close: () => {
      isClosing = true;
      void client.close();
    },
  };
}

function webSocketUrl(): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/trpc`;
}
