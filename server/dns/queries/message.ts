import { isIP } from 'node:net';
import dnsPacket from 'dns-packet';
import type { RecordType } from '../dns-client.ts';
import { textFrom } from '../record-values.ts';
import { isWithin } from '../zone-names.ts';
import { canonicalAddress } from './canonical-address.ts';

/** A question, in lower case without a last dot, and its recipient. */
export type Question = {
  name: string;
  type: RecordType;
  /** A name server answers for its own zones; a resolver looks the answer up, and says whether it has validated it. */
  of: 'name-server' | 'resolver';
  /** The resolver should also return answers that fail validation (RFC 4035, section 3.2.2). */
  isUnchecked?: boolean;
  /** Leaves EDNS out, which some old servers refuse (RFC 6891, section 7). */
  isPlain?: boolean;
};

/** One record, its value in presentation form. */
export type DnsRecord = { name: string; type: RecordType; ttl: number; value: string };

export type Reply = {
  /** NOERROR, NXDOMAIN, SERVFAIL, REFUSED … */
  rcode: string;
  isAuthoritative: boolean;
  /** The resolver has validated it. */
  isAuthentic: boolean;
  answers: DnsRecord[];
  /** The section of that name (RFC 1035, section 4.1): the name servers of a delegation. */
  authorities: DnsRecord[];
  additionals: DnsRecord[];
};

/** The kinds of messages that arrive: an answer, one to repeat over TCP, something unrelated, or an unreadable one. */
export type Reading = Reply | 'truncated' | 'stray' | 'malformed';

/** This size fits into one packet on any path (DNS Flag Day 2020). */
const UDP_BYTES = 1_232;
const EDNS: dnsPacket.OptAnswer = {
  ...{ type: 'OPT', name: '.', udpPayloadSize: UDP_BYTES, extendedRcode: 0, ednsVersion: 0 },
  ...{ flags: 0, flag_do: false, options: [] },
};
/** More than any zone needs: the largest TXT sets of well-known domains have a fifth of it. */
const RECORDS_MAX = 500;
/**
 * The limits of one answer: a name that takes two bytes as a pointer takes 253 in memory, and calls keep answers until
 * they end.
 */
const KEPT_RECORDS_MAX = 64;
const KEPT_TEXT_MAX = 16 * 1_024;
/** Equals BIND's limit; unbound follows eleven. */
const ALIASES_MAX = 16;
/**
 * The limit of pointers to pointers: no server writes them, and key bytes that look like them are some hundred at
 * most.
 */
const CHAINED_POINTERS_MAX = 1_000;
/** The longest time to cache: a value with the top bit set counts as zero (RFC 2181, section 8). */
const TTL_MAX = 2 ** 31 - 1;
const NAME = /^[a-z0-9_*-]{1,63}(\.[a-z0-9_*-]{1,63})*$/;
const NAME_LENGTH_MAX = 253;

/** Returns whether this is a host or zone name in the usual form; others are not asked for. */
export function isName(text: string): boolean {
  return text.length <= NAME_LENGTH_MAX && NAME.test(text);
}

export function encodeQuestion(id: number, { name, type, of, isUnchecked, isPlain }: Question): Buffer {
  // The AD bit in the question makes a resolver report whether it has validated the answer (RFC 6840, section 5.7).
  const resolverFlags = dnsPacket.RECURSION_DESIRED | dnsPacket.AUTHENTIC_DATA;
  return dnsPacket.encode({
    type: 'query',
    id,
    flags: (of === 'resolver' ? resolverFlags : 0) | (isUnchecked === true ? dnsPacket.CHECKING_DISABLED : 0),
    questions: [{ name, type, class: 'IN' }],
    additionals: isPlain === true ? [] : [EDNS],
  });
}

/** Reads a message. Only an answer to exactly this question counts; others are ignored (RFC 5452, section 9). */
export function readReply(message: Buffer, id: number, question: Question): Reading {
  if (message.length < 12 || message.readUInt16BE(0) !== id || (message[2] ?? 0) < 0x80) return 'stray';
  if ([6, 8, 10].reduce((sum, offset) => sum + message.readUInt16BE(offset), 0) > RECORDS_MAX) return 'malformed';
  if (chainedPointers(message) > CHAINED_POINTERS_MAX) return 'malformed';
  try {
    const packet = dnsPacket.decode(message);
    const rcode = rcodeOf(message);
    const [asked, ...others] = packet.questions ?? [];
    // Some servers refuse without repeating the question.
    const isRefusal = asked === undefined && rcode !== 'NOERROR' && rcode !== 'NXDOMAIN';
    if (!isRefusal && (asked?.type !== question.type || lower(asked.name) !== question.name || others.length > 0))
      return 'stray';
    if (packet.flag_tc) return 'truncated';
    return {
      rcode,
      isAuthoritative: packet.flag_aa,
      isAuthentic: packet.flag_ad,
      ...relevantRecords(packet, question),
    };
  } catch {
    // Some servers cut an answer in the middle of a record.
    return ((message[2] ?? 0) & 0x02) === 0 ? 'malformed' : 'truncated';
  }
}

/**
 * Counts pointers to pointers. Each record could have a name that leads through all of them, so reading would cost
 * records times pointers.
 */
function chainedPointers(message: Buffer): number {
  let count = 0;
  for (let offset = 12; offset + 1 < message.length; offset += 1) {
    const pointer = message.readUInt16BE(offset) - 0xc000;
    if (pointer >= 0 && (message[pointer] ?? 0) >= 0xc0) count += 1;
  }
  return count;
}

/** RFC 1035, section 4.1.1, and RFC 2136, section 2.2. */
const RCODES = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
];

function rcodeOf(message: Buffer): string {
  return RCODES[message.readUInt16BE(2) & 0xf] ?? 'UNKNOWN';
}

type ReplySections = Pick<Reply, 'answers' | 'authorities' | 'additionals'>;

/**
 * Returns the relevant records of an answer: the set of the name, or of the name at the end of its aliases; the name
 * servers of a zone that begins there, with their addresses; and the time for a negative answer.
 */
function relevantRecords(packet: dnsPacket.Packet, { name, type }: Question): ReplySections {
  const aliases = toRecords(packet.answers, (record) => record.type === 'CNAME');
  const chain = chainFrom(name, aliases);
  const sets = toRecords(packet.answers, (record) => record.type === type && chain.includes(lower(record.name)));
  const answers = type === 'CNAME' ? sets : [...aliases.filter((alias) => chain.includes(alias.name)), ...sets];
  const authorities = toRecords(packet.authorities, (record) => {
    const owner = lower(record.name);
    if (record.type === 'SOA') return owner === '' || isWithin(name, owner);
    return (record.type === 'NS' || record.type === type) && owner === name;
  });
  const servers = new Set([...answers, ...authorities].filter((one) => one.type === 'NS').map(({ value }) => value));
  const additionals = toRecords(
    packet.additionals,
    (record) => (record.type === 'A' || record.type === 'AAAA') && servers.has(lower(record.name)),
  );
  return withinRoom({ answers, authorities, additionals });
}

/** Returns the name and the targets of its aliases, in order. */
function chainFrom(name: string, aliases: readonly DnsRecord[]): string[] {
  const chain = [name];
  while (chain.length <= ALIASES_MAX) {
    const alias = aliases.find((one) => one.name === chain.at(-1));
    if (alias === undefined || chain.includes(alias.value)) break;
    chain.push(alias.value);
  }
  return chain;
}

/**
 * Cuts the sections to size. The remaining records do not depend on their order, so that two servers can be compared.
 */
function withinRoom(sections: ReplySections): ReplySections {
  let [left, textLeft] = [KEPT_RECORDS_MAX, KEPT_TEXT_MAX];
  const cut = (records: DnsRecord[]): DnsRecord[] => {
    const kept: DnsRecord[] = [];
    const isLong = records.length > left || textOf(records) > textLeft;
    for (const record of isLong ? records.sort(inOrder) : records) {
      if (left === 0 || textOf([record]) > textLeft) break;
      left -= 1;
      textLeft -= textOf([record]);
      kept.push(record);
    }
    return kept;
  };
  const [answers, authorities] = [cut(sections.answers), cut(sections.authorities)];
  return { answers, authorities, additionals: cut(sections.additionals) };
}

function textOf(records: readonly DnsRecord[]): number {
  return records.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
}

/** Sorts aliases first: without them nothing leads to the set. */
function inOrder(one: DnsRecord, other: DnsRecord): number {
  if (one.type !== other.type) return one.type === 'CNAME' ? -1 : 1;
  return one.value < other.value ? -1 : 1;
}

function toRecords(
  answers: readonly dnsPacket.Answer[] = [],
  isAsked: (answer: Exclude<dnsPacket.Answer, dnsPacket.OptAnswer>) => boolean,
): DnsRecord[] {
  return answers.flatMap((answer) => {
    if (answer.type === 'OPT' || (answer.class ?? 'IN') !== 'IN' || !isAsked(answer)) return [];
    const value = present(answer);
    if (value === null) return [];
    const ttl = answer.ttl ?? 0;
    return [{ name: lower(answer.name), ttl: ttl > TTL_MAX ? 0 : ttl, ...value }];
  });
}

/** Returns the value as in a zone file; null for types that nobody asks for. Throws for an invalid value. */
function present(answer: Exclude<dnsPacket.Answer, { type: 'OPT' }>): { type: RecordType; value: string } | null {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return { type: answer.type, value: address(answer.data) };
    case 'CNAME':
    case 'NS':
      return { type: answer.type, value: lower(answer.data) };
    case 'TXT':
      return { type: 'TXT', value: textFrom(Buffer.concat([answer.data].flat().map(bytesOf))) };
    case 'CAA': {
      const { flags = 0, tag, value } = answer.data;
      return { type: 'CAA', value: `${flags} ${tag.toLowerCase()} "${value}"` };
    }
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data;
      return { type: 'SOA', value: [lower(mname), lower(rname), serial, refresh, retry, expire, minimum].join(' ') };
    }
    case 'MX':
      return { type: 'MX', value: `${answer.data.preference ?? 0} ${lower(answer.data.exchange)}` };
    case 'DS': {
      const { keyTag, algorithm, digestType, digest } = answer.data;
      return { type: 'DS', value: `${keyTag} ${algorithm} ${digestType} ${digest.toString('hex')}` };
    }
    case 'DNSKEY':
      return {
        type: 'DNSKEY',
        value: `${answer.data.flags} 3 ${answer.data.algorithm} ${answer.data.key.toString('base64')}`,
      };
    case 'RRSIG': {
      const { typeCovered, inception, expiration } = answer.data;
      return { type: 'RRSIG', value: `${typeCovered} ${inception} ${expiration}` };
    }
    default:
      return null;
  }
}

function bytesOf(string: string | Buffer): Buffer {
  return typeof string === 'string' ? Buffer.from(string) : string;
}

function address(text: string): string {
  if (isIP(text) === 0) throw new Error('The message ends inside an address.');
  return canonicalAddress(text);
}

function lower(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
