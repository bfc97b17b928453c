import type { Page, Request, Route } from '@playwright/test';

/** One call of a page to the app's own server. Procedures travel in batches: `name` is the one that the call is for. */
export type Call = {
  method: string;
  path: string;
  names: string[];
  headers: Record<string, string>;
  body: string | null;
};

/** Returns every call of the page from now on, in the order in which they left. */
export function watchCalls(page: Page): Call[] {
  const calls: Call[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/')) return;
    const names = pathname.replace(/^\/api\/(trpc\/)?/, '').split(',');
    const call = {
      method: request.method(),
      path: `${pathname}${search}`,
      names,
      headers: {},
      body: request.postData(),
    };
    calls.push(call);
    void headersOf(request).then((headers) => Object.assign(call.headers, headers));
  });
  return calls;
}

/** Headers that a closed page took with it are lost, so such a call has none here. */
async function headersOf(request: Request): Promise<Record<string, string>> {
  return request.allHeaders().catch(() => ({}));
}

export function callsOf(calls: Call[], name: string | RegExp): Call[] {
  const fits = (candidate: string): boolean => (typeof name === 'string' ? candidate === name : name.test(candidate));
  return calls.filter(({ names }) => names.some(fits));
}

/** Fails a procedure as the server does, in words of the test's choice. */
export async function fail(route: Route, message: string): Promise<void> {
  const data = { code: 'internal', httpStatus: 500 };
  const failure = { error: { json: { message, code: -32_603, data } } };
  const isBatch = new URL(route.request().url()).searchParams.has('batch');
  await route.fulfill({ status: 500, json: isBatch ? [failure] : failure });
}
