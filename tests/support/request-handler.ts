import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * A listener of an asynchronous handler. A caller that breaks off while its request is read, as a time limit does, ends that
 * one answer; every other error of the handler fails the run.
 */
export function requestHandler(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): RequestListener {
  return (request, response) => {
    void handle(request, response).catch((error: unknown) => {
      response.destroy();
      if (request.complete) throw error;
    });
  };
}
