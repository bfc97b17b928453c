import { isIP } from 'node:net';
import { DnsLookupError, type ServerAnswer } from '../../../dns/dns-client.ts';
import { conflictOfUnseen } from '../../../dns/queries/unseen-record.ts';
import { elsewhereText } from '../../../dns/record-plan/conflicts.ts';
import { timeInWords } from '../../../lib/durations.ts';
import type { DomainRecord } from '../../../publishing/platforms/platform.ts';
import {
  type Check,
  type Facts,
  type Finding,
  fail,
  pass,
  recordsRepair,
  type Subject,
  type Tools,
  unknown,
  usable,
  valuesOf,
  warn,
} from '../check.ts';
import { isCloudflare } from './cloudflare-ranges.ts';

type Seen = { four: readonly ServerAnswer[]; six: readonly ServerAnswer[] };

/** Checks whether each authority answers with the expected addresses, and whether resolvers know them. */
export const resolves: Check = {
  id: 'resolves',
  why: 'A browser asks for the address of the name first. If it gets none or a wrong one, it never reaches the site.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const { name } = subject;
    const [four = [], six = []] = await Promise.all(
      (['A', 'AAAA'] as const).map((type) => tools.askNameServers(name, type)),
    );
    const seen = { four, six };
    if (usable(seen.four).length === 0 && usable(seen.six).length === 0)
      return unknown(`No name server of ${name} says what address it has.`);
    const addresses = [...valuesOf(seen.four), ...valuesOf(seen.six)];
    const facts = factsOf(name, seen);
    if (addresses.length === 0) {
      const lacking = { ...subject, name: lackingName(subject, four) };
      const conflict = await findConflict(lacking, tools);
      const fix = conflict?.hint ?? wantedText(lacking) ?? `Add an A record for ${name}.`;
      const why = conflict === null ? '' : ` ${conflict.message}`;
      return fail(`${name} has no address at its name servers.${why}`, fix, { facts, repair: recordsRepair(subject) });
    }
    const differing = differingServer(seen.four) ?? differingServer(seen.six);
    const aimed = await judgeAim(subject, addresses, seen, tools);
    if (aimed !== null) return { ...aimed, facts };
    if (differing !== null && subject.own !== null) {
      const fix = 'Ask your DNS provider to synchronise its name servers, or save the records again.';
      return fail(`The name servers of ${name} disagree: ${differing}.`, fix, {
        facts,
        repair: recordsRepair(subject),
      });
    }
    const found = await judgeResolvers(subject, addresses, tools);
    const astray = found.verdict === 'pass' ? await judgeCounterpart(subject, tools) : null;
    return { ...(astray ?? found), facts };
  },
};

/** Judges the other name of the domain, which may have no address; null when nothing is wrong with it. */
async function judgeCounterpart(subject: Subject, tools: Tools): Promise<Finding | null> {
  const { counterpart } = subject;
  if (counterpart === null || subject.own === null) return null;
  const [four = [], six = []] = await Promise.all(
    (['A', 'AAAA'] as const).map((type) => tools.askNameServers(counterpart, type)),
  );
  const addresses = [...valuesOf(four), ...valuesOf(six)];
  if (addresses.length === 0) return null;
  const itself = { ...subject, name: counterpart };
  const wanted = await wantedAddresses(itself, tools);
  const [record] = routeRecords(itself);
  const isElsewhere = wanted.length > 0 && !addresses.some((one) => wanted.includes(one));
  if (record !== undefined && isElsewhere && !addresses.every(isCloudflare)) {
    const alias = aliasIn(four);
    const found = alias === null ? addresses : [alias];
    const beside = await findConflict(itself, tools);
    const { message, hint } = elsewhereText(record, { found, hasAlias: alias !== null, beside });
    return warn(message, hint, { repair: recordsRepair(subject) });
  }
  const aimed = await judgeAim(itself, addresses, { four, six }, tools);
  return aimed && { ...aimed, verdict: 'warn' };
}

/** Returns the conflict that keeps a record of this name from its name servers; null also where they do not answer. */
async function findConflict(subject: Subject, tools: Tools): ReturnType<typeof conflictOfUnseen> {
  try {
    const zone = await tools.zoneOf(subject.name);
    if (zone === null) return null;
    for (const record of routeRecords(subject)) {
      const answers = await tools.askNameServers(record.name, record.type === 'AAAA' ? 'AAAA' : 'A');
      const conflict = await conflictOfUnseen(tools.askNameServers, record, { apex: zone.apex, answers });
      if (conflict !== null) return conflict;
    }
    return null;
  } catch (error) {
    if (error instanceof DnsLookupError) return null;
    throw error;
  }
}

function factsOf(name: string, { four, six }: Seen): Facts {
  const cname = aliasIn(four);
  return {
    [`A of ${name}`]: valuesOf(four),
    [`AAAA of ${name}`]: valuesOf(six),
    [`CNAME of ${name}`]: cname === null ? [] : [cname],
  };
}

/** Returns whose records a name without an address lacks: its own, or those of the name that its right alias leads to. */
export function lackingName(subject: Subject, answers: readonly ServerAnswer[]): string {
  const alias = aliasIn(answers);
  if (alias === null || routeRecords({ ...subject, name: alias }).length === 0) return subject.name;
  return routeRecords(subject).some(({ type, value }) => type === 'CNAME' && value === alias) ? alias : subject.name;
}

function aliasIn(answers: readonly ServerAnswer[]): string | null {
  return usable(answers).find(({ cname }) => cname !== null)?.cname ?? null;
}

/**
 * Describes a server that answers with a different set; null when all agree. A load-balanced host answers each with
 * others.
 */
function differingServer(answers: readonly ServerAnswer[]): string | null {
  const known = usable(answers).filter(({ cname }) => cname === null);
  const [first] = known;
  const other = known.find(({ values }) => values.join() !== first?.values.join());
  if (first === undefined || other === undefined) return null;
  return `${first.server} answers ${first.values.join(', ') || 'nothing'}; ${other.server} answers ${other.values.join(', ') || 'nothing'}`;
}

/** Returns null when the aim is right, or the expected one is unknown. */
async function judgeAim(
  subject: Subject,
  addresses: readonly string[],
  seen: Seen,
  tools: Tools,
): Promise<Finding | null> {
  const { name, own } = subject;
  const wanted = await wantedAddresses(subject, tools);
  if (own === null || wanted.length === 0) return null;
  const isSix = (address: string): boolean => isIP(address) === 6;
  const fours = addresses.filter((address) => !isSix(address));
  const right = fours.filter((address) => wanted.includes(address));
  const isAimed = fours.length === 0 ? addresses.some((one) => wanted.includes(one)) : right.length > 0;
  const fix = wantedText(subject) ?? `Point ${name} at ${wanted.join(', ')}.`;
  const repair = recordsRepair(subject);
  if (!isAimed) {
    const found = addresses.join(', ');
    if (addresses.every(isCloudflare))
      return warn(`${name} leads to Cloudflare (${found}), which passes visitors on.`, fix, { repair });
    return fail(`${name} leads to ${found} instead of ${wanted.join(', ')}.`, fix, { repair });
  }
  const wrongAt = usable(seen.four).find(
    ({ values, cname }) => cname === null && !values.some((one) => right.includes(one)),
  );
  if (wrongAt !== undefined && fours.length > 0) {
    const there = wrongAt.values.join(', ') || 'nothing';
    return fail(`${wrongAt.server} answers ${there} for ${name}, and the others ${right.join(', ')}.`, fix, { repair });
  }
  const extra = addresses.filter((address) => !wanted.includes(address));
  if (extra.length === 0) return null;
  return warn(`${name} leads to ${extra.join(', ')} as well.`, `Remove ${extra.join(', ')}.`, { repair });
}

/** Returns the expected addresses; an alias counts as the addresses behind it. */
async function wantedAddresses(subject: Subject, tools: Tools): Promise<string[]> {
  const found = routeRecords(subject).map(async ({ type, value }) => {
    if (type === 'A' || type === 'AAAA') return [value];
    if (type !== 'CNAME' && type !== 'ALIAS') return [];
    return (await tools.serversOf(value)).map(({ address }) => address);
  });
  return (await Promise.all(found)).flat();
}

function routeRecords({ own, name }: Subject): DomainRecord[] {
  return (own?.records ?? []).filter((record) => record.name === name && record.purpose === 'route');
}

function wantedText(subject: Subject): string | null {
  const { name } = subject;
  const records = routeRecords(subject);
  if (records.length === 0) return null;
  return `Set ${records.map(({ type, value, ttl }) => `${type} ${name} to ${value} (TTL ${ttl})`).join(', ')}.`;
}

async function judgeResolvers({ name }: Subject, addresses: readonly string[], tools: Tools): Promise<Finding> {
  const right = `${name} leads to ${addresses.join(', ')}`;
  const answers = usable(await tools.askResolvers(name, addresses.some((one) => isIP(one) === 4) ? 'A' : 'AAAA'));
  const old = answers.find(({ values }) => !values.some((value) => addresses.includes(value)));
  if (old === undefined) return pass(`${right}.`);
  const had = old.values.join(', ') || 'nothing';
  const seen = `${right} at its name servers, but resolver ${old.server} still answers ${had}, for another ${timeInWords(old.ttl ?? 0)}.`;
  return warn(seen, 'Wait until resolvers have forgotten the old answer.');
}
