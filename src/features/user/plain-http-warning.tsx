import { Notice } from '../../components/notice.tsx';

/**
 * Shown when the browser itself calls the page insecure: over http by any host but this machine. There anybody on the
 * way can read typed text, and a session cookie as well.
 */
export function PlainHttpWarning() {
  if (globalThis.isSecureContext !== false) return null;
  return (
    <Notice tone="warn" title="This connection is not encrypted" className="mb-6">
      <p>
        You reach Fairlead over plain http at {location.host}. Anybody on the network in between can read your password
        and what you publish, and act as you. Put Fairlead behind https, or open it at localhost on the machine that it
        runs on.
      </p>
    </Notice>
  );
}
