import type { Random } from '../../support/random.ts';
import { answer, LIES, say } from './lies.ts';
import type { Lie } from './lying-proxy.ts';

const MIB = 1024 ** 2;
/** Sets with six values each, about as many as an answer may have (server/dns/providers/http.ts). */
const SETS = 3_000;
const ODD: readonly unknown[] = [null, 0, true, '', [], {}, [[]], 'x'.repeat(MIB)];

type Said = unknown[] | { name?: string; rrsets?: unknown[] };

/** An honest answer, as it is changed. */
function changed(change: (said: Said, random: Random) => unknown): Lie {
  return async ({ socket, random, honest }) => {
    const { status, body } = await honest();
    const said: Said = JSON.parse(body.toString());
    await say(socket, answer(status, JSON.stringify(change(said, random))));
  };
}

/** The lists in it, which are zones, settings, or the sets of a zone. */
function relisted(change: (items: readonly unknown[], random: Random) => unknown): Lie {
  return changed((said, random) => {
    if (Array.isArray(said)) return change(said, random);
    return said.rrsets === undefined ? said : { ...said, rrsets: change(said.rrsets, random) };
  });
}

/** The sets of a zone. */
function withSets(make: (zone: string, random: Random) => unknown[]): Lie {
  return changed((said, random) => {
    if (Array.isArray(said) || said.rrsets === undefined) return said;
    return { ...said, rrsets: make((said.name ?? '').replace(/\.$/, ''), random) };
  });
}

/** Possible answers of a lying DNS provider, which may be the server of the person who connects it. */
export const DNS_PROVIDER_LIES: Readonly<Record<string, Lie>> = {
  ...LIES,
  'one set thousands of times': withSets((zone, random) => {
    const set = { name: `${zone}.`, type: random.pick(['A', 'CNAME', 'TXT']), ttl: 60, records: [] };
    return Array.from({ length: SETS }, () => set);
  }),
  'a set of thousands of values': withSets((zone, random) => {
    const type = random.pick(['A', 'AAAA', 'TXT', 'CAA']);
    const records = Array.from({ length: 2 * SETS }, (_, number) => ({ content: `${number}` }));
    return [{ name: `${random.pick(['', 'www.', '_fairlead.'])}${zone}.`, type, ttl: 60, records }];
  }),
  'values of megabytes': withSets((zone, random) => {
    const content = random.pick(['x', '"', '\\', '" "', '\\123', '. ']).repeat(random.pick([1_000, MIB]));
    const type = random.pick(['TXT', 'CNAME', 'CAA', 'MX']);
    return [{ name: `${zone}.`, type, ttl: 60, records: [{ content: `"${content}` }] }];
  }),
  'one zone thousands of times': relisted((items) => Array.from({ length: SETS }, () => items[0] ?? {})),
  'lists of wrong things': relisted((_items, random) => {
    const odd = random.pick(ODD.slice(0, -1));
    return Array.from({ length: 3 * SETS }, () => odd);
  }),
  'no lists': relisted((_items, random) => random.pick(ODD)),
  'a version of megabytes': async ({ socket }) => {
    await say(socket, answer(200, JSON.stringify({ daemon_type: 'authoritative', version: 'x'.repeat(7 * MIB) })));
  },
};
