import type { Domain } from '../../routers/schemas/domains.ts';

type Named = Pick<Domain, 'name' | 'unicodeName'>;

/** Returns a domain's name, or its counterpart, as people write it: with its own letters where DNS has ASCII. */
export function writtenName({ name, unicodeName = name }: Named, asked = name): string {
  if (asked === name) return unicodeName;
  return asked.length > name.length ? `www.${unicodeName}` : unicodeName.slice('www.'.length);
}

/** Returns a text with the domain's name as people write it. */
export function asWritten(named: Named, text: string): string {
  return text.replaceAll(named.name, writtenName(named));
}
