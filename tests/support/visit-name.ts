import type { PublishingApp } from './publishing.ts';

/**
 * The address of a link to this path, as a browser forms it: characters with a meaning are escaped by the author of
 * the page.
 */
function addressOf(path: string): string {
  const { pathname } = new URL(`/${path.replace(/[%?#]/g, encodeURIComponent)}`, 'http://x.test');
  return pathname;
}

/** Asks for the address of a file as a browser does, and for where it leads. */
export async function bodyAt(app: PublishingApp, name: string, path: string): Promise<[number, string]> {
  const { status, headers, text } = await app.visit(name, addressOf(path));
  if (status < 300 || status > 399) return [status, text];
  const led = await app.visit(name, headers.location);
  return [led.status, led.text];
}
