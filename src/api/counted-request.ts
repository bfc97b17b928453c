/** Receives how many bytes of the body have been sent, which `fetch` does not report. */
export type SentListener = (sentBytes: number) => void;
export type CountedInit = RequestInit & { onSentBytes?: SentListener };

/**
 * Makes the call by XMLHttpRequest, whose events report sent bytes. Throws as `fetch` does: TypeError for every
 * failure below HTTP, the signal's reason when it was aborted.
 */
export function requestCounted(path: string, init: RequestInit, onSentBytes: SentListener): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal } = init;
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const end = (settle: () => void) => {
      signal?.removeEventListener('abort', abort);
      settle();
    };
    request.open(init.method ?? 'GET', path);
    new Headers(init.headers).forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    // One that was refused before has sent its bytes in vain.
    onSentBytes(0);
    request.upload.onprogress = ({ loaded }) => onSentBytes(loaded);
    request.onload = () => end(() => resolve(responseOf(request)));
    request.onerror = () => end(() => reject(new TypeError('Failed to fetch')));
    request.onabort = () => end(() => reject(signal?.reason ?? new DOMException('Aborted', 'AbortError')));
    if (signal?.aborted === true) return reject(signal.reason);
    signal?.addEventListener('abort', abort);
    request.send(bodyOf(init));
  });
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const hasNoBody = request.status === 204 || request.status === 304;
  return new Response(hasNoBody ? null : request.responseText, { status: request.status, headers });
}

/** Only files and texts are sent with progress; a stream could not be sent again. */
function bodyOf({ body }: RequestInit): Blob | string | null {
  if (body instanceof Blob || typeof body === 'string') return body;
  return null;
}
