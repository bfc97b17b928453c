import type { DnsFields, DnsProviderId } from '../../routers/schemas/dns-providers.ts';
import type { Egress } from '../lib/egress/egress.ts';

/**
 * A DNS provider is where the records of a person's zone are kept. The unit of all work is the record set: all values
 * of one type at one name, with one time to live (RFC 2181, section 5). Providers that keep single records, such as
 * Cloudflare and DigitalOcean, are mapped to sets by their adapter.
 *
 * An adapter is a set of functions without state of its own, made by a factory with the address of the provider's API
 * (`cloudflare({ apiUrl })`); what opens the account comes with each call. It knows nothing of domains, plans and leases.
 *
 * The callers. `connections.connect` calls `verify`, while a person waits and before anything is stored. Domains call
 * `zones` to find the zone that holds a name, `read` for each name in a plan, and pass both to
 * server/dns/record-plan/record-plan.ts. They show the plan, and once the person agrees call `write` with its changes;
 * undo is `write` with the inverse changes. DNS-01 does the same with the one TXT set of a challenge. A writer holds the
 * lease of the zone (server/connections/zone-lease.ts): one write at a time, since several providers lose one of two.
 *
 * `write` is all or nothing if the provider supports that, and otherwise safe to repeat. It reads first
 * (server/dns/record-plan/changes.ts): a change whose `after` is there already is done and left out, one whose `before`
 * is there is made, and anything else throws `records_changed` before the first byte is written. So the second run after
 * a crash continues, and a set that somebody changed since the plan was made is never overwritten: the caller reads and
 * plans again. An adapter changes only the named sets, and in those only what the change contains. It resolves when the
 * provider confirms the write; the caller then asks the name servers whether the world sees it.
 *
 * Names are whole, in lower case, ASCII and without the dot at the end, the zone's own name included; `*` may be the
 * first label. Values are in presentation form: TXT as one joined text without quotes, names in lower case without the
 * last dot, CAA as `0 issue "ca.example"`, MX as `10 mail.example.com`; in any order, none twice.
 *
 * Requests go through server/dns/providers/http.ts, which repeats what may be repeated. Errors are sorted once
 * (server/dns/providers/failures.ts): `rate_limited` and `quota_exhausted` carry the provider's `retryAfterMs`, and with
 * `platform_down` may pass; every other is final: `credentials_invalid` (the connection is shown as broken),
 * `permission_missing`, `zone_not_found` (this account does not hold the zone any more), `records_changed`,
 * `records_refused` (the provider does not take these records) and `platform_failed`.
 *
 * To add one: its id, fields and texts in routers/schemas/dns-providers.ts; one file in server/dns/providers/; one line
 * in server/dns/index.ts; `dnsSuite` over it in tests/dns/<id>.test.ts, with a stand-in or the real server.
 */
export interface DnsProvider<Id extends DnsProviderId = DnsProviderId> {
  readonly id: Id;
  /**
   * Names the server that keeps the zones, when it is a person's own: two connections to it may write the same zone.
   * A vendor has one for all.
   */
  serverOf?(credentials: DnsFields<Id>): string;
  /**
   * Returns the account of the credential, and what prevents it from writing records. Throws `credentials_invalid`,
   * and `permission_missing` when it cannot even list zones.
   */
  verify(call: DnsProviderCall<Id>): Promise<DnsConnectionInfo>;
  /** Returns every zone that the credential opens, from all pages; private zones are left out. */
  zones(call: DnsProviderCall<Id>): Promise<readonly DnsZone[]>;
  /** Returns every set of this exact name, whatever its type, so that conflicts are seen; empty when there is none. */
  read(call: DnsProviderCall<Id>, zone: DnsZone, name: string): Promise<readonly FoundRecordSet[]>;
  /** Reads several names with one request, if the provider supports it. */
  readNames?(call: DnsProviderCall<Id>, zone: DnsZone, names: readonly string[]): Promise<readonly FoundRecordSet[]>;
  /** Makes these changes as one. Throws `records_changed` before anything is written when one does not fit any more. */
  write(call: DnsProviderCall<Id>, zone: DnsZone, changes: readonly RecordChange[]): Promise<void>;
}

/** The input of every operation; nothing in it outlives the call. */
export type DnsProviderCall<Id extends DnsProviderId = DnsProviderId> = {
  egress: Egress;
  /** Opened for this call; never logged, and removed from every text that the provider answers. */
  credentials: DnsFields<Id>;
  signal: AbortSignal;
  now(): Date;
  /** Resolves after `ms`; rejects with the reason of the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
};

export type DnsConnectionInfo = {
  /** The account there, for a person: "anna@example.com"; the zone or server when there is no account. */
  identity: string;
  /**
   * The provider's own id of that account, so that another token of it is recognized; null when it does not reveal it.
   */
  subject: string | null;
  /** Obstacles to writing although the credential is accepted. */
  warnings: readonly string[];
};

export type DnsZone = {
  /** The provider's id of the zone. */
  id: string;
  name: string;
  /**
   * The type by which the zone's own name can follow another name, which a plain CNAME never can (RFC 1034, section
   * 3.6.2): `CNAME` if the provider flattens it, `ALIAS` if it has that type, null if it takes addresses alone.
   */
  apexAlias: 'CNAME' | 'ALIAS' | null;
};

/** The types that are written; every other is left alone. */
export const WRITTEN_TYPES = ['A', 'AAAA', 'CNAME', 'ALIAS', 'TXT', 'CAA'] as const;

export type WrittenType = (typeof WRITTEN_TYPES)[number];

/** The content of a set; the time to live is in seconds. */
export type RecordData = {
  ttl: number;
  values: readonly string[];
  /** The provider answers with addresses of its own and passes requests on (Cloudflare). It is kept as it is. */
  isProxied?: boolean;
};

export type RecordSet = RecordData & { type: WrittenType; name: string };

export type FoundRecordSet = RecordData & {
  /** The type in upper case: one of those above, or `MX`, `NS`, `SOA`, `SRV` and so on. */
  type: string;
  name: string;
  /** Stored in a form that cannot be written back, such as an alias of Route 53: no plan may change it. */
  isFixed?: boolean;
};

/** A change of one set from its state when the plan was made to the wanted one; null: there is no such set. */
export type RecordChange = {
  type: WrittenType;
  name: string;
  before: RecordData | null;
  after: RecordData | null;
};

export type DnsProviderRegistry = Partial<Record<DnsProviderId, DnsProvider>>;
