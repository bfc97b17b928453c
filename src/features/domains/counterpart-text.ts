import type { Domain } from '../../../routers/schemas/domains.ts';
import { writtenName } from '../../lib/written-name.ts';

type Named = Pick<Domain, 'name' | 'unicodeName' | 'servedName'>;

/** Returns the words for the other of its two names, and says so if that is the main one. */
export function counterpartText(domain: Named, counterpart: string): string {
  const isMain = domain.servedName === counterpart;
  return `with ${besideName(domain, counterpart)}${isMain ? ' as its main name' : ''}`;
}

/** Returns one of its two names as it is called beside the domain itself: a repeated name would only be longer. */
export function besideName(domain: Named, one: string): string {
  return one === `www.${domain.name}` ? 'www' : writtenName(domain, one);
}
