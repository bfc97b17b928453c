/**
 * Asks the DNS of the world, and says what each server answered.
 *
 * What somebody has just set is asked of its own name servers: a resolver that is asked too early remembers for up
 * to an hour that the name is not there (RFC 2308, section 5). So the way leads from the top-level domain, whose name
 * servers a resolver names, down the delegations to the zone of the name. `askResolvers` is for what name servers have
 * already been seen to answer: it shows what visitors get.
 *
 * Zones and name servers are what strangers publish. Of all lists only the first entries are looked at, name servers at
 * addresses that are not public are not asked unless EGRESS_ALLOW has them, and each call ends after a time of its own.
 *
 * Every function rejects with the reason of the signal when that is aborted, and with a DnsLookupError when the way to the
 * zone is not answered: then nothing is known about the name.
 */
export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA' | 'NS' | 'SOA' | 'MX' | 'DS' | 'DNSKEY' | 'RRSIG';

/** `lame`: it answers, but not for this zone. `unreachable`: also an address that is not asked, and a name without one. */
export type ServerFault = 'timeout' | 'refused' | 'server_failure' | 'lame' | 'unreachable' | 'malformed';

/** What one server answered at one of its addresses. */
export type ServerAnswer = {
  server: string;
  /** Empty when its name has none. */
  address: string;
  /**
   * In presentation form and sorted: TXT joined, names in lower case without the last dot, CAA as `0 issue "ca.test"`,
   * RRSIG as `SOA 1760000000 1762600000`: what is signed, from when and until when, in seconds.
   * Empty when there is no such set; null when it gave no usable answer, for which `error` has the reason.
   */
  values: string[] | null;
  /** Seconds for which a cache may keep the answer, also the one that there is nothing (RFC 2308). */
  ttl: number | null;
  error: ServerFault | null;
  /** The name it is an alias of; `values` are then those at the end of the chain, as far as this server knows it. */
  cname: string | null;
};

export type Zone = {
  apex: string;
  /** Those that the parent names and those that the zone itself names, once each. */
  servers: { name: string; addresses: string[] }[];
  /** Null when no parent was asked, or when one server has both zones. */
  parentServers: string[] | null;
  /** Null when no server of the zone answers. */
  childServers: string[] | null;
};

export type DnssecState = 'secure' | 'unsigned' | 'bogus' | 'unknown';

/** What can be asked within one call of `withLookups`. */
export type Lookups = {
  /** Returns the zone that the name lies in; null when it is not registered. */
  zoneOf(name: string): Promise<Zone | null>;
  /** Asks each address of each name server of the zone; a DS at the parent, where it is. */
  askNameServers(name: string, type: RecordType): Promise<{ zone: Zone | null; answers: ServerAnswer[] }>;
  /** Asks each resolver. Only for names that are there: it remembers those that are not. */
  askResolvers(name: string, type: RecordType): Promise<ServerAnswer[]>;
  /** Returns what a validating resolver says of the zone; `unknown` when none of them validates. */
  checkDnssec(name: string): Promise<DnssecState>;
};

export type DnsClient = {
  /** As in `Lookups`, for one question alone. */
  zoneOf(name: string, signal: AbortSignal): ReturnType<Lookups['zoneOf']>;
  askNameServers(name: string, type: RecordType, signal: AbortSignal): ReturnType<Lookups['askNameServers']>;
  askResolvers(name: string, type: RecordType, signal: AbortSignal): ReturnType<Lookups['askResolvers']>;
  /**
   * Does work that asks for several names: its questions, its way to each zone and its time are those of one call. What
   * is asked beyond them is not answered; only when `signal` is aborted does the work end with its reason. A report of a
   * domain asks no more than a check, and has longer for it, since it does other things in between.
   */
  withLookups<T>(signal: AbortSignal, work: (lookups: Lookups) => Promise<T>, purpose?: 'check' | 'report'): Promise<T>;
  /** Returns the CAA set that a certificate authority looks at: of the name, or the nearest above it (RFC 8659, section 3). */
  caaOf(name: string, signal: AbortSignal): Promise<{ name: string; values: string[] } | null>;
  checkDnssec(name: string, signal: AbortSignal): Promise<DnssecState>;
};

/**
 * The way to a zone was not answered, which says nothing about the zone. With `muteZone` it was: that zone's name servers
 * answer other questions, and leave this one open.
 */
export class DnsLookupError extends Error {
  readonly fault: ServerFault;
  readonly muteZone: string | null;

  constructor(fault: ServerFault, message: string, muteZone: string | null = null) {
    super(message);
    this.name = 'DnsLookupError';
    this.fault = fault;
    this.muteZone = muteZone;
  }
}
