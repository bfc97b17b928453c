import { expect, test } from 'vitest';
import type { DnsFields, DnsProviderId } from '../../routers/schemas/dns-providers.ts';
import type {
  DnsProvider,
  DnsProviderCall,
  DnsZone,
  FoundRecordSet,
  RecordChange,
  RecordSet,
} from '../../server/dns/provider.ts';
import { sameValues } from '../../server/dns/record-plan/changes.ts';
import { testEgress } from './platforms.ts';

/** One provider with the zone `ours.test`, which has records of its own that no test may touch. */
export type DnsUnderTest<Id extends DnsProviderId> = {
  provider: DnsProvider<Id>;
  credentials: DnsFields<Id>;
  /** Nobody's, of the right form. */
  wrongCredentials: DnsFields<Id>;
  /** Accepted, but may not write in `ours.test`; null where the provider has no such thing. */
  narrowCredentials: DnsFields<Id> | null;
  /** Values in place of the suite's own, for a provider that does not take every text or CAA value that DNS does. */
  values?: { TXT: readonly string[]; CAA: readonly string[] };
  world: DnsWorld;
  [Symbol.asyncDispose](): Promise<void>;
};

export type DnsWorld = {
  /** Everything in `ours.test` as sorted lines, without the serial of the SOA. */
  dump(): Promise<readonly string[]>;
  /** Somebody else puts this set in place of the one that was there. */
  place(set: Pick<RecordSet, 'ttl' | 'values'> & { type: string; name: string }): Promise<void>;
  /** Makes this many zones more; absent where a connection opens one zone. */
  addZones?(count: number): Promise<void>;
  /** The next requests go wrong; absent where nothing of ours stands between. */
  fail?(fault: DnsFault, times: number): void;
  /** The next change is made, and the answer to it breaks off. The result counts what was changed. */
  loseAnswer?(): () => number;
  /** Deviations from the provider's description: empty at the end of every test. */
  drift?: readonly string[];
};

/** `slow_down` is the provider's own way to say so, with a wait of 7 s where it has one to tell. */
export type DnsFault = 'slow_down' | 'server_error' | 'html';

export const ZONE = 'ours.test';
const WEB = `www.${ZONE}`;
const TXT = `_fairlead.${ZONE}`;
const STATE = { ttl: 300, values: ['192.0.2.10'] };
/** Holds values of others that are escaped or cut into strings. */
const STRANGE_TEXTS = [
  `v=DKIM1; k=rsa; p=${'MIIB'.repeat(98)}`,
  ...['a "b" c', 'back\\slash', 'semi;colon'],
  ...[255, 256, 510].map((bytes) => 'x'.repeat(bytes)),
];

/** Tests the rules for every DNS provider (server/dns/provider.ts). */
export function dnsSuite<Id extends DnsProviderId>(name: string, make: () => Promise<DnsUnderTest<Id>>): void {
  const run = (what: string, body: (subject: Subject<Id>) => Promise<void>): void => {
    test(`${name}: ${what}`, async () => {
      await using subject = await make();
      await body(await subjectOf(subject));
      expect(subject.world.drift ?? []).toEqual([]);
    });
  };
  credentialTests(run);
  writeTests(run);
  concurrencyTests(run);
  faultTests(run);
}

type Run<Id extends DnsProviderId> = (what: string, body: (subject: Subject<Id>) => Promise<void>) => void;

type Subject<Id extends DnsProviderId> = DnsUnderTest<Id> & {
  call: DnsProviderCall<Id>;
  /** Requested waits in ms; no time passes. */
  waits: number[];
  as(credentials: DnsFields<Id>): DnsProviderCall<Id>;
  zone: DnsZone;
  read(recordName: string): Promise<readonly FoundRecordSet[]>;
  write(changes: readonly RecordChange[]): Promise<void>;
};

/** A call with these credentials, for which no time passes; the waits that it asked for, in ms, are in `waits`. */
export function dnsCall<Id extends DnsProviderId>(
  credentials: DnsFields<Id>,
  waits: number[] = [],
): DnsProviderCall<Id> {
  return {
    egress: testEgress(),
    credentials,
    signal: new AbortController().signal,
    now: () => new Date(),
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      waits.push(ms);
    },
  };
}

async function subjectOf<Id extends DnsProviderId>(subject: DnsUnderTest<Id>): Promise<Subject<Id>> {
  const waits: number[] = [];
  const as = (credentials: DnsFields<Id>) => dnsCall(credentials, waits);
  const call = as(subject.credentials);
  const zones = await subject.provider.zones(call);
  const zone = zones.find((one) => one.name === ZONE);
  if (zone === undefined) throw new Error(`The zone ${ZONE} is not among ${zones.map((one) => one.name).join(', ')}.`);
  return {
    ...subject,
    call,
    waits,
    as,
    zone,
    read: (recordName) => subject.provider.read(call, zone, recordName),
    write: (changes) => subject.provider.write(call, zone, changes),
  };
}

function credentialTests<Id extends DnsProviderId>(run: Run<Id>): void {
  run('a credential that is accepted says whose it is', async ({ provider, call }) => {
    expect((await provider.verify(call)).identity).not.toBe('');
  });

  run('a wrong credential is refused as such, and not repeated', async (subject) => {
    const { provider, as, wrongCredentials, waits } = subject;
    await expect(provider.verify(as(wrongCredentials))).rejects.toMatchObject({ code: 'credentials_invalid' });
    expect(waits).toEqual([]);
  });

  run('a credential that may not write says what is missing, and writes nothing', async (subject) => {
    const { provider, as, narrowCredentials, zone, world } = subject;
    if (narrowCredentials === null) return;
    const before = await world.dump();
    const writing = provider.write(as(narrowCredentials), zone, [adding('A', WEB, STATE.values)]);
    await expect(writing).rejects.toMatchObject({ code: 'permission_missing' });
    expect(await world.dump()).toEqual(before);
  });

  run('zones come from every page, each once', async ({ provider, call, world }) => {
    const before = await provider.zones(call);
    await world.addZones?.(120);
    world.fail?.('slow_down', 1);
    const names = (await provider.zones(call)).map((zone) => zone.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBe(before.length + (world.addZones === undefined ? 0 : 120));
  });
}

function writeTests<Id extends DnsProviderId>(run: Run<Id>): void {
  run('a name without records reads as none', async ({ read }) => {
    expect(await read(`nothing.${ZONE}`)).toEqual([]);
  });

  run(
    'what a wildcard answers with is not at the name itself, where a record of its own is written',
    async (subject) => {
      const { world, read, write } = subject;
      await world.place({ type: 'CNAME', name: `*.${WEB}`, ttl: 300, values: ['lb.elsewhere.test'] });
      const before = await world.dump();
      const name = `_acme-challenge.${WEB}`;
      expect(await read(name)).toEqual([]);
      await write([adding('TXT', name, ['ours'])]);
      expect(await read(name)).toMatchObject([{ type: 'TXT', values: ['ours'] }]);
      await write([inverse(adding('TXT', name, ['ours']))]);
      expect(await world.dump()).toEqual(before);
    },
  );

  run('types that are never written are read, at the name of the zone as well', async ({ read, world }) => {
    await world.place({ type: 'MX', name: ZONE, ttl: 300, values: ['10 mail.ours.test'] });
    const found = await read(ZONE);
    expect(found.find(({ type }) => type === 'MX')?.values).toEqual(['10 mail.ours.test']);
  });

  run('every type is added, read back as it was written, and undone to the zone as it was', async (subject) => {
    const before = await subject.world.dump();
    const { TXT: texts, CAA: issuers } = subject.values ?? {
      TXT: ['fairlead=a "quoted" \\ text; with signs', 'x'.repeat(300)],
      CAA: ['0 issue "ca.example"', '0 issuewild ";"'],
    };
    const changes = [
      adding('A', WEB, ['192.0.2.10', '192.0.2.11']),
      adding('AAAA', WEB, ['2001:db8::10']),
      adding('CNAME', `shop.${ZONE}`, ['elsewhere.example.net']),
      adding('TXT', TXT, texts),
      adding('CAA', ZONE, issuers),
      adding('A', `*.${ZONE}`, ['192.0.2.12']),
    ];
    await subject.write(changes);
    for (const { type, name, after } of changes) {
      const found = (await subject.read(name)).find((set) => set.type === type);
      expect({ type, values: [...(found?.values ?? [])].sort() }).toEqual({
        type,
        values: [...(after?.values ?? [])].sort(),
      });
    }
    await subject.write(changes.map(inverse));
    expect(await subject.world.dump()).toEqual(before);
  });

  run('replace, remove and add are one change, and the undo of it leaves the zone as it was', async (subject) => {
    const { world, write, read } = subject;
    await world.place({ type: 'CNAME', name: WEB, ttl: 600, values: ['old.example.net'] });
    await world.place({ type: 'A', name: ZONE, ttl: 900, values: ['198.51.100.1', '198.51.100.2'] });
    const before = await world.dump();
    const changes: RecordChange[] = [
      { type: 'CNAME', name: WEB, before: { ttl: 600, values: ['old.example.net'] }, after: null },
      adding('A', WEB, ['192.0.2.10']),
      {
        type: 'A',
        name: ZONE,
        before: { ttl: 900, values: ['198.51.100.1', '198.51.100.2'] },
        after: { ttl: 300, values: ['192.0.2.10'] },
      },
    ];
    await write(changes);
    expect((await read(WEB)).map(({ type, values }) => ({ type, values }))).toEqual([
      { type: 'A', values: ['192.0.2.10'] },
    ]);
    await write(changes.map(inverse));
    expect(await world.dump()).toEqual(before);
  });

  run('what is foreign stays, beside the value that came and the sets that nobody named', async (subject) => {
    const { world, write, read } = subject;
    const texts = ['v=spf1 -all', 'site-verification=abc', ...(subject.values === undefined ? STRANGE_TEXTS : [])];
    await world.place({ type: 'TXT', name: ZONE, ttl: 600, values: texts });
    await world.place({ type: 'MX', name: ZONE, ttl: 600, values: ['10 mail.ours.test'] });
    const before = await world.dump();
    // A name and its wildcard are proved by two values at one name (RFC 8555, section 8.4).
    const change = joining(await read(ZONE), ZONE, 'fairlead=mine', 'fairlead=wildcard');
    await write([change]);
    const after = await world.dump();
    expect(before.every((line) => after.includes(line))).toBe(true);
    expect(after.length).toBe(before.length + 2);
    expect(sameValues((await read(ZONE)).find(({ type }) => type === 'TXT') ?? null, change.after)).toBe(true);
    await write([inverse(change)]);
    expect(await world.dump()).toEqual(before);
  });

  run('the same change a second time does nothing and is no error', async ({ write, world }) => {
    await write([adding('A', WEB, STATE.values)]);
    const once = await world.dump();
    await write([adding('A', WEB, STATE.values)]);
    expect(await world.dump()).toEqual(once);
  });
}

function concurrencyTests<Id extends DnsProviderId>(run: Run<Id>): void {
  run('a set that somebody changed meanwhile is not overwritten, nor is anything beside it', async (subject) => {
    const { world, write } = subject;
    await world.place({ type: 'A', name: WEB, ttl: 300, values: ['198.51.100.1'] });
    const planned: RecordChange[] = [
      adding('TXT', TXT, ['fairlead=mine']),
      { type: 'A', name: WEB, before: { ttl: 300, values: ['198.51.100.1'] }, after: STATE },
    ];
    await world.place({ type: 'A', name: WEB, ttl: 300, values: ['203.0.113.7'] });
    const before = await world.dump();
    await expect(write(planned)).rejects.toMatchObject({ code: 'records_changed' });
    expect(await world.dump()).toEqual(before);
  });

  run('of two writers who read the same, the second is told and loses nothing', async ({ write, read }) => {
    const [one, other] = [joining(await read(TXT), TXT, 'one'), joining(await read(TXT), TXT, 'other')];
    await write([one]);
    await expect(write([other])).rejects.toMatchObject({ code: 'records_changed' });
    await write([joining(await read(TXT), TXT, 'other')]);
    const found = (await read(TXT)).find(({ type }) => type === 'TXT') ?? null;
    expect(sameValues(found, { ttl: 300, values: ['one', 'other'] })).toBe(true);
  });
}

function faultTests<Id extends DnsProviderId>(run: Run<Id>): void {
  run('who is asked to slow down waits as long as it is told, and says so when it lasts', async (subject) => {
    const { world, write, waits, provider, call } = subject;
    if (world.fail === undefined) return;
    world.fail('slow_down', 1);
    await write([adding('A', WEB, STATE.values)]);
    expect(waits.length).toBe(1);
    world.fail('slow_down', 100);
    await expect(provider.zones(call)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  run('a record whose answer is lost is not made twice', async ({ world, write }) => {
    const before = await world.dump();
    const countChanges = world.loseAnswer?.();
    await write([adding('A', WEB, STATE.values)]);
    expect((await world.dump()).length).toBe(before.length + 1);
    if (countChanges !== undefined) expect(countChanges()).toBe(1);
  });

  for (const fault of ['server_error', 'html'] as const) {
    run(`${fault} is repeated, and then said as trouble of the provider's`, async (subject) => {
      const { world, write, read, provider, call } = subject;
      if (world.fail === undefined) return;
      world.fail(fault, 1);
      await write([adding('A', WEB, STATE.values)]);
      expect((await read(WEB)).map(({ values }) => values)).toEqual([STATE.values]);
      world.fail(fault, 100);
      await expect(provider.zones(call)).rejects.toMatchObject({ code: 'platform_down' });
    });
  }
}

function adding(type: RecordChange['type'], name: string, values: readonly string[]): RecordChange {
  return { type, name, before: null, after: { ttl: 300, values } };
}

function inverse({ before, after, ...change }: RecordChange): RecordChange {
  return { ...change, before: after, after: before };
}

/** The change that adds values to the TXT set of a name. */
function joining(found: readonly FoundRecordSet[], name: string, ...added: readonly string[]): RecordChange {
  const before = found.find((set) => set.type === 'TXT') ?? null;
  if (before === null) return adding('TXT', name, added);
  const { ttl, values } = before;
  return { type: 'TXT', name, before: { ttl, values }, after: { ttl, values: [...values, ...added] } };
}
