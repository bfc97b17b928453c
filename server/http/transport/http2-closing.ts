import type { ServerHttp2Session } from 'node:http2';

/**
 * Closes a session in two steps: GOAWAY is sent, after which the protocol ignores further requests, and then Node's
 * session is closed. One that was closed first would refuse requests in the middle of reading them, which frees memory
 * that the rest of the reading still uses. `answerSoon` has to call `finish` when nothing is left to answer.
 */
export function createClosing(session: ServerHttp2Session, answerSoon: () => void) {
  const closeAtOnce = session.close.bind(session);
  let isBegun = false;

  function begin(): void {
    if (isBegun || session.destroyed) return;
    isBegun = true;
    session.goaway();
  }

  function close(): void {
    begin();
    answerSoon();
  }

  // Node closes a session in the middle of reading when its client says GOAWAY and names no error.
  session.close = () => void setImmediate(close);

  return {
    get isBegun() {
      return isBegun;
    },
    begin,
    /** Ends the session with its last answer; called again, if that could not be finished. */
    close,
    /** Ends a session that has nothing to answer, unless its GOAWAY still waits for the reader. */
    finish(): void {
      if (isBegun && session.state.outboundQueueSize === 0) closeAtOnce();
    },
  };
}
