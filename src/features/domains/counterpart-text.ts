import type { Domain } from '../../../routers/schemas/domains.ts';
import { writtenName } from '../../lib/written-name.ts';

/** Returns the words for the other of its two names, and says so if that is the main one. */
export function counterpartText(
  domain: Pick<Domain, 'name' | 'unicodeName' | 'servedName'>,
  counterpart: string,
): string {
  const isMain = domain.servedName === counterpart;
  return `with ${writtenName(domain, counterpart)}${isMain ? ' as its main name' : ''}`;
}
