import { randomInt } from 'node:crypto';
import { connect, isIP } from 'node:net';
import type { FailureFacts } from '../../lib/egress/vendor-answers.ts';
import { AppError } from '../../lib/errors.ts';
import type { DnsClient, RecordType } from '../dns-client.ts';
import type { DnsProvider, DnsProviderCall, FoundRecordSet, RecordChange } from '../provider.ts';
import { ask, type ServerAddress } from '../queries/wire.ts';
import { pendingChanges, recordsChanged, sameValues } from '../record-plan/changes.ts';
import { type DnsFailure, dnsError } from './failures.ts';
import { type SignatureCheck, sign, verify } from './tsig.ts';
import { inUseMessage, updateMessage } from './update-message.ts';
import { namesOf, readNamed } from './zone-reading.ts';

/**
 * The person's own primary server, by dynamic update (RFC 2136) over TCP, signed with a shared key. One message is one
 * change: its conditions state what was read, so that a set that somebody changed meanwhile is not overwritten. A
 * server may silently drop a CNAME beside other data (RFC 2136, section 3.4.2.2), so the result is read again.
 */
export type Rfc2136Options = {
  /** The person names the server, so only a permitted address is connected to. */
  isAllowed(address: string): boolean;
  askResolvers: DnsClient['askResolvers'];
};

type Call = DnsProviderCall<'rfc2136'>;

const PORT = 53;
/** Lower ports are the well-known ones (RFC 6335, section 6): of those, only 53 is a name server's. */
const WELL_KNOWN_PORTS_END = 1_024;
const EXCHANGE_MS = 10_000;
const ANSWER_MAX_BYTES = 65_535;
const READ_TYPES: readonly RecordType[] = ['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'MX', 'NS'];
/** RFC 1035, section 4.1.1, and RFC 2136, section 2.2. */
const RCODE = { ok: 0, nxdomain: 3, refused: 5, yxrrset: 7, nxrrset: 8, notauth: 9, notzone: 10 } as const;

export function rfc2136(options: Rfc2136Options): DnsProvider<'rfc2136'> {
  return {
    id: 'rfc2136',
    serverOf: ({ server, port = PORT }) => `${server} ${port}`,
    async verify(call) {
      const { server, zone, keyName } = call.credentials;
      await update(call, await serverOf(call, options), []);
      return { identity: `${zone} at ${server}`, subject: `${server} ${zone} ${keyName}`, warnings: [] };
    },
    async zones({ credentials: { zone } }) {
      return [{ id: zone, name: zone, apexAlias: null }];
    },
    read: async (call, _zone, name) => readSets(call, await serverOf(call, options), name),
    async write(call, _zone, changes) {
      const server = await serverOf(call, options);
      const look = () => readNamed(changes, (name) => readSets(call, server, name));
      const found = await look();
      const pending = pendingChanges(changes, found).map((change) => ({ ...change, before: heldOf(change, found) }));
      if (pending.length === 0) return;
      await update(call, server, pending);
      const seen = await look();
      const left = pending.filter((change) => !sameValues(heldOf(change, seen), change.after));
      const [first] = left;
      if (first !== undefined) {
        const said = `the server left out the ${first.type} record of ${first.name}`;
        throw dnsError('records_refused', call.credentials.server, { said });
      }
    },
  };
}

function heldOf({ type, name }: RecordChange, found: readonly FoundRecordSet[]): FoundRecordSet | null {
  return found.find((set) => set.type === type && set.name === name) ?? null;
}

async function serverOf({ credentials, signal }: Call, options: Rfc2136Options): Promise<ServerAddress> {
  const { server, port = PORT } = credentials;
  if (port !== PORT && port < WELL_KNOWN_PORTS_END) {
    const message = `Only port ${PORT} and ports from ${WELL_KNOWN_PORTS_END} up can be used.`;
    throw new AppError('credentials_invalid', message, { field: 'port' });
  }
  const found = isIP(server) === 0 ? await addressesOf(server, signal, options) : [server];
  const [address] = found;
  // One bad address refuses the name.
  if (address !== undefined && found.every(options.isAllowed)) return { address, port };
  throw dnsError('platform_failed', server, { said: 'it has no public address' });
}

async function addressesOf(
  server: string,
  signal: AbortSignal,
  { askResolvers }: Rfc2136Options,
): Promise<readonly string[]> {
  const answers = await Promise.all([askResolvers(server, 'A', signal), askResolvers(server, 'AAAA', signal)]);
  return answers.flat().flatMap(({ values }) => values ?? []);
}

async function readSets(call: Call, server: ServerAddress, name: string): Promise<readonly FoundRecordSet[]> {
  const sets = READ_TYPES.map(async (type): Promise<FoundRecordSet | null> => {
    const reply = await ask(server, { name, type, of: 'name-server' }, call.signal);
    call.signal.throwIfAborted();
    if (typeof reply === 'string' || !['NOERROR', 'NXDOMAIN'].includes(reply.rcode)) {
      const said = typeof reply === 'string' ? 'it cannot be reached' : `it answers ${reply.rcode} to a question`;
      throw dnsError('platform_down', call.credentials.server, { said });
    }
    const records = [...reply.answers, ...reply.authorities].filter((one) => one.type === type && one.name === name);
    const [first] = records;
    return first === undefined ? null : { type, name, ttl: first.ttl, values: records.map(({ value }) => value) };
  });
  const found = (await Promise.all(sets)).filter((set) => set !== null);
  return found.length === 0 || (await isInUse(call, server, name)) ? found : [];
}

/**
 * Returns whether the name exists. A read cannot tell, since a server answers for a missing name with its wildcard's
 * records (RFC 4592, section 3.3).
 */
async function isInUse(call: Call, server: ServerAddress, name: string): Promise<boolean> {
  const { zone } = call.credentials;
  if (name === zone) return true;
  const answer = await send(call, server, inUseMessage(randomInt(0x1_0000), zone, name));
  if (answer.signature.kind === 'genuine' && answer.rcode === RCODE.nxdomain) return false;
  throwRefusal(call, answer, []);
  return true;
}

async function update(call: Call, server: ServerAddress, changes: readonly RecordChange[]): Promise<void> {
  const message = updateMessage(randomInt(0x1_0000), call.credentials.zone, changes);
  throwRefusal(call, await send(call, server, message), changes);
}

type Answer = { signature: SignatureCheck; rcode: number };

async function send(call: Call, server: ServerAddress, message: Buffer): Promise<Answer> {
  const { keyName, algorithm, secret } = call.credentials;
  const key = { name: keyName, algorithm, secret };
  const { signed, mac } = sign(message, key, call.now());
  const answer = await exchange(call, server, signed);
  try {
    if (answer.readUInt16BE(0) !== message.readUInt16BE(0)) throw new RangeError('This answers another message.');
    return { signature: verify(answer, mac, key, call.now()), rcode: answer.readUInt16BE(2) & 0xf };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw noAnswer(call, error);
  }
}

function throwRefusal(call: Call, { signature, rcode }: Answer, changes: readonly RecordChange[]): void {
  const refusal = refusalOf(call, signature, rcode, changes);
  if (refusal !== null) throw refusal;
}

/** Sorts a refusal, by RFC 8945, section 5.3, and RFC 2136, section 3. */
function refusalOf(
  call: Call,
  signature: SignatureCheck,
  rcode: number,
  changes: readonly RecordChange[],
): AppError | null {
  const { server, zone, keyName } = call.credentials;
  const failed = (failure: DnsFailure, said: string, field?: string): AppError => {
    const facts: FailureFacts = { said };
    const { message, hint } = dnsError(failure, server, facts);
    return new AppError(failure, message, { hint, field });
  };
  if (signature.kind === 'key_unknown')
    return failed('credentials_invalid', `it knows no key named ${keyName}`, 'keyName');
  // PowerDNS refuses a wrong secret without a signature and without a reason.
  const isUnsaid = signature.kind === 'unsigned' && (rcode === RCODE.refused || rcode === RCODE.notauth);
  if (signature.kind === 'secret_wrong' || isUnsaid) {
    return failed('credentials_invalid', 'the secret of the key is wrong', 'secret');
  }
  if (signature.kind === 'clock_differs') {
    const seconds = Math.round(Math.abs(signature.serverTimeS - call.now().getTime() / 1_000));
    return failed('platform_failed', `its clock and ours differ by ${seconds} seconds`);
  }
  if (signature.kind !== 'genuine') return noAnswer(call);
  const [first] = changes;
  if (rcode === RCODE.yxrrset || rcode === RCODE.nxrrset) {
    return first === undefined ? failed('zone_not_found', `it has no zone ${zone}`) : recordsChanged(first);
  }
  if (rcode === RCODE.refused)
    return failed('permission_missing', `the key ${keyName} may not change ${names(changes, zone)}`);
  if (rcode === RCODE.notauth) return failed('zone_not_found', `it is not the primary server of ${zone}`, 'zone');
  return rcode === RCODE.ok ? null : failed('records_refused', `it answers with code ${rcode}`);
}

/**
 * Returns one error for every cause, so that nobody can probe through us which ports of a host are open, and to what.
 */
function noAnswer({ credentials: { server, port = PORT } }: Call, cause?: unknown): AppError {
  return dnsError('platform_down', server, { said: `no answer signed with the key came from its port ${port}`, cause });
}

function names(changes: readonly RecordChange[], zone: string): string {
  return changes.length === 0 ? zone : namesOf(changes).join(', ');
}

/** Sends one message and receives one, each preceded by its length (RFC 1035, section 4.2.2). */
function exchange(call: Call, { address, port }: ServerAddress, message: Buffer): Promise<Buffer> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(EXCHANGE_MS)]);
  // A signal that was aborted before emits no event.
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const fail = (): void => {
      socket.destroy();
      reject(call.signal.aborted ? call.signal.reason : noAnswer(call));
    };
    signal.addEventListener('abort', fail, { once: true });
    socket.on('error', fail);
    socket.on('end', fail);
    socket.on('close', () => signal.removeEventListener('abort', fail));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
    });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const wanted = received.length < 2 ? ANSWER_MAX_BYTES : received.readUInt16BE(0);
      if (received.length < 2 + wanted) return;
      resolve(received.subarray(2, 2 + wanted));
      socket.destroy();
    });
  });
}
