import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parseSiteHost, parseUploadHost } from '../../lib/site-names.ts';

/**
 * The meaning of a request's host name, found by pure functions. Node takes nearly anything as a `Host` header, so the
 * grammar is checked here before any name is looked up.
 */
export type Target =
  /**
   * A name that may be a site's, in the form that the route table knows; public unless it belongs to one release, or
   * to an upload.
   */
  | { kind: 'site'; host: string; isPublic: boolean }
  /** Any other name, which is a site's if an account has proved that it owns it. */
  | { kind: 'domain'; host: string; isPublic: true }
  /** A name below the domain of the sites whose form none of them has, or one without a dot. */
  | { kind: 'unknown' }
  /** The app's own name, the bare domain of the sites, or an IP address: never answered with a site. */
  | { kind: 'misdirected' }
  | { kind: 'malformed' };

/** RFC 1123, 2.1: letters, digits and hyphens, labels of 1 to 63, no hyphen at an end. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const HOST_MAX = 253;
const PORT = /:\d{1,5}$/;
const BRACKETED = /^\[([0-9a-f:.]+)\]$/;

export type Names = { sitesDomain: string; appHost: string };

/** Returns the target of a `Host` header, or of the authority of an absolute request target. */
export function targetOf(authority: string, names: Names): Target {
  const host = normaliseHost(authority);
  if (host === null) return { kind: 'malformed' };
  if (isAddress(host) || host === names.sitesDomain || host === names.appHost) return { kind: 'misdirected' };
  const name = parseSiteHost(names.sitesDomain, host);
  if (name !== null) return { kind: 'site', host, isPublic: name.release === null };
  if (parseUploadHost(names.sitesDomain, host) !== null) return { kind: 'site', host, isPublic: false };
  const isElsewhere = host.includes('.') && !host.endsWith(`.${names.sitesDomain}`);
  return isElsewhere ? { kind: 'domain', host, isPublic: true } : { kind: 'unknown' };
}

/** Returns the name in lower case, without port and trailing dot, in ASCII; null when it is no host name. */
export function normaliseHost(authority: string): string | null {
  const withoutPort = toAscii(authority.replace(PORT, '')).toLowerCase();
  const bracketed = BRACKETED.exec(withoutPort);
  if (bracketed?.[1] !== undefined) return isIP(bracketed[1]) === 6 ? withoutPort : null;
  const name = withoutPort.endsWith('.') ? withoutPort.slice(0, -1) : withoutPort;
  if (name === '' || name.length > HOST_MAX) return null;
  return name.split('.').every((label) => LABEL.test(label)) ? name : null;
}

/** Turns an international name in raw UTF-8, which Node passes on as Latin-1, into its ASCII form. */
function toAscii(name: string): string {
  return /^[\x21-\x7e]*$/.test(name) ? name : domainToASCII(Buffer.from(name, 'latin1').toString('utf8'));
}

/** Returns whether this is an IP address in any spelling that a URL parser would accept (127.1, 0x7f000001). */
function isAddress(host: string): boolean {
  if (host.startsWith('[') || isIP(host) !== 0) return true;
  const last = host.slice(host.lastIndexOf('.') + 1);
  return /^(?:\d+|0x[0-9a-f]*)$/.test(last);
}
