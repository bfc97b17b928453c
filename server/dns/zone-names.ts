import type { DnsZone } from './provider.ts';

/** Returns whether a name is this zone's apex or below it. */
export function isWithin(name: string, apex: string): boolean {
  return name === apex || name.endsWith(`.${apex}`);
}

/** Returns the name relative to the zone: `@` for the zone's own, `www` for `www.example.com`. */
export function relativeName({ name: zone }: DnsZone, name: string): string {
  return name === zone ? '@' : name.slice(0, -zone.length - 1);
}

/** Returns the whole name of a relative one; one with a dot at its end is whole already. */
export function wholeName({ name: zone }: DnsZone, relative: string): string {
  const name = relative.toLowerCase();
  if (name.endsWith('.')) return name.slice(0, -1);
  return name === '@' || name === '' ? zone : `${name}.${zone}`;
}
