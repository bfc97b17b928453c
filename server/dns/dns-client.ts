/**
 * Queries public DNS, and reports each server's answer.
 *
 * A record that was just set is asked of its own name servers: a resolver that is asked too early remembers for up to
 * an hour that the name does not exist (RFC 2308, section 5). So the way leads from the top-level domain, whose name
 * servers a resolver names, down the delegations to the zone of the name. `askResolvers` is for answers that name
 * servers already give: it shows what visitors get.
 *
 * Strangers publish zones and name servers. Only the first entries of each list are used, name servers at private
 * addresses are not asked unless EGRESS_ALLOW permits it, and each call has a time limit.
 *
 * Every function rejects with the reason of the signal when that is aborted, and with a DnsLookupError when the way to
 * the zone has no answer: then nothing is known about the name.
 */
export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT' | 'CAA' | 'NS' | 'SOA' | 'MX' | 'DS' | 'DNSKEY' | 'RRSIG';

/**
 * `lame`: it answers, but not for this zone. `unreachable`: also for an address that may not be asked, and a name
 * without one.
 */
export type ServerFault = 'timeout' | 'refused' | 'server_failure' | 'lame' | 'unreachable' | 'malformed';

/** The answer of one server at one of its addresses. */
export type ServerAnswer = {
  server: string;
  /** Empty when its name has no address. */
  address: string;
  /**
   * The values in presentation form and sorted: TXT joined, names in lower case without the last dot, CAA as `0 issue
   * "ca.test"`, RRSIG as `SOA 1760000000 1762600000` (the signed type, start and end in seconds). Empty when there is
   * no such set; null when the answer was unusable, for the reason in `error`.
   */
  values: string[] | null;
  /** The seconds for which a cache may keep the answer, including a negative one (RFC 2308). */
  ttl: number | null;
  error: ServerFault | null;
  /** The target if it is an alias; `values` are then those at the end of the chain, as far as this server knows it. */
  cname: string | null;
};

export type Zone = {
  apex: string;
  /** The servers that the parent names and those that the zone itself names, without duplicates. */
  servers: { name: string; addresses: string[] }[];
  /** Null when no parent was asked, or when one server has both zones. */
  parentServers: string[] | null;
  /** Null when no server of the zone answers. */
  childServers: string[] | null;
};

export type DnssecState = 'secure' | 'unsigned' | 'bogus' | 'unknown';

/** The questions within one call of `withLookups`. */
export type Lookups = {
  /** Returns the zone of the name; null when it is not registered. */
  zoneOf(name: string): Promise<Zone | null>;
  /** Asks each address of each name server of the zone; a DS is asked at the parent, which has it. */
  askNameServers(name: string, type: RecordType): Promise<{ zone: Zone | null; answers: ServerAnswer[] }>;
  /** Asks each resolver. Use it only for existing names: a resolver remembers those that do not exist. */
  askResolvers(name: string, type: RecordType): Promise<ServerAnswer[]>;
  /** Returns a validating resolver's verdict on the zone; `unknown` when none validates. */
  checkDnssec(name: string): Promise<DnssecState>;
};

export type DnsClient = {
  /** These work as in `Lookups`, for one question alone. */
  zoneOf(name: string, signal: AbortSignal): ReturnType<Lookups['zoneOf']>;
  askNameServers(name: string, type: RecordType, signal: AbortSignal): ReturnType<Lookups['askNameServers']>;
  askResolvers(name: string, type: RecordType, signal: AbortSignal): ReturnType<Lookups['askResolvers']>;
  /**
   * Runs work with several questions as one call, with a common limit of questions, ways to zones, and time. Questions
   * beyond the limit get no answer; only an aborted `signal` ends the work, with its reason. A report of a domain may
   * ask no more than a check, but has more time, since it does other things in between.
   */
  withLookups<T>(signal: AbortSignal, work: (lookups: Lookups) => Promise<T>, purpose?: 'check' | 'report'): Promise<T>;
  /**
   * Returns the CAA set that a certificate authority uses: that of the name, or the nearest above it (RFC 8659,
   * section 3).
   */
  caaOf(name: string, signal: AbortSignal): Promise<{ name: string; values: string[] } | null>;
  checkDnssec(name: string, signal: AbortSignal): Promise<DnssecState>;
};

/**
 * The way to a zone had no answer, which says nothing about the zone. With `muteZone` it had one: that zone's name
 * servers answer other questions, but not this one.
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
