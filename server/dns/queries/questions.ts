import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import type { RecordType } from '../dns-client.ts';
import type { DnsRecord, Question, Reply } from './message.ts';
import { createSemaphore } from './semaphore.ts';
import { ask, type ServerAddress, type WireFault } from './wire.ts';

/** The servers to ask, and those that must not be asked. */
export type DnsOptions = {
  /** 53, except in development and tests. */
  nameServerPort: number;
  resolvers: readonly ServerAddress[];
  /** Returns whether packets may go to this address, which a stranger's zone names. */
  isAllowed(address: string): boolean;
  /** The time limit of one call or check; tests shorten it. */
  wholeMs?: number;
};

/** The questions of one call or check, with limits over all of them. None is asked twice of the same server. */
export type Questions = {
  /** The address that answered for a zone: further questions go there alone. */
  answering: Map<string, string>;
  nameServer(address: string, name: string, type: RecordType): Promise<Reply | WireFault>;
  /** Asks one resolver after the other until one answers. */
  resolver(name: string, type: RecordType): Promise<Reply | WireFault>;
  eachResolver(question: Omit<Question, 'of'>): Promise<{ server: ServerAddress; outcome: Reply | WireFault }[]>;
  /** Returns the addresses of a name server by its name. */
  addressesOf(name: string): Promise<string[]>;
};

/** A stranger's zone must not make us send many packets to somebody, or for long. */
export type Bounds = { questionsMax: number; wholeMs: number };
/** Ordinary zones take some thirty questions. */
export const CALL_BOUNDS: Bounds = { questionsMax: 200, wholeMs: 20_000 };
/** Covers the sets of two names, the targets of their aliases, and the resolvers' answers. */
export const CHECK_BOUNDS: Bounds = { questionsMax: 300, wholeMs: 8_000 };
/** A report visits the site in between, which may be slow. */
export const REPORT_BOUNDS: Bounds = { ...CHECK_BOUNDS, wholeMs: 60_000 };
const OPEN_MAX = 8;
/** After this many unanswered questions, an address that never answered is not asked again. */
const SILENCES_MAX = 2;
export const RESOLVERS_MAX = 4;
const ADDRESSES_OF_A_SERVER = 3;

export function createQuestions(options: DnsOptions, signal: AbortSignal, bounds = CALL_BOUNDS): Questions {
  const { nameServerPort } = options;
  const resolvers = options.resolvers.slice(0, RESOLVERS_MAX);
  const put = remembering(createAsking(AbortSignal.any([signal, timeoutOf(options, bounds)]), bounds));
  const resolver: Questions['resolver'] = async (name, type) => {
    let outcome: Reply | WireFault = 'unreachable';
    for (const server of resolvers) {
      outcome = await put(server, { name, type, of: 'resolver' });
      if (isUsable(outcome)) return outcome;
    }
    return outcome;
  };
  return {
    answering: new Map(),
    resolver,
    nameServer: async (address, name, type) =>
      options.isAllowed(address)
        ? put({ address, port: nameServerPort }, { name, type, of: 'name-server' })
        : 'unreachable',
    eachResolver: (question) =>
      Promise.all(
        resolvers.map(async (server) => ({ server, outcome: await put(server, { ...question, of: 'resolver' }) })),
      ),
    async addressesOf(name) {
      const found = await Promise.all([resolver(name, 'A'), resolver(name, 'AAAA')]);
      return found.flatMap((outcome) => (isUsable(outcome) ? addressesIn(outcome.answers) : []));
    },
  };
}

function timeoutOf({ wholeMs }: DnsOptions, bounds: Bounds): AbortSignal {
  return AbortSignal.timeout(wholeMs ?? bounds.wholeMs);
}

type Put = (server: ServerAddress, question: Question) => Promise<Reply | WireFault>;

/** Asks while there are questions left, a few at once. */
function createAsking(limit: AbortSignal, { questionsMax }: Bounds): Put {
  // Each open question and each waiting one listens to it.
  setMaxListeners(questionsMax, limit);
  const turns = createSemaphore(OPEN_MAX);
  const silences = new Map<string, number>();
  let left = questionsMax;
  return async (server, question) => {
    if (left === 0) return 'timeout';
    left -= 1;
    const endTurn = await turns.acquire(limit);
    if (endTurn === null) return 'timeout';
    try {
      const silent = silences.get(server.address) ?? 0;
      if (silent >= SILENCES_MAX) return 'timeout';
      const outcome = await ask(server, question, limit);
      // A resolver may be slow for one name alone.
      if (outcome !== 'timeout') silences.set(server.address, Number.NEGATIVE_INFINITY);
      else if (question.of === 'name-server') silences.set(server.address, (silences.get(server.address) ?? 0) + 1);
      return outcome;
    } finally {
      endTurn();
    }
  };
}

/** Caches outcomes, so that the way to names in the same zone is only followed once. */
function remembering(put: Put): Put {
  const outcomes = new Map<string, ReturnType<Put>>();
  return (server, question) => {
    const { name, type, isUnchecked = false } = question;
    const key = `${server.address} ${server.port} ${type} ${isUnchecked} ${name}`;
    const outcome = outcomes.get(key) ?? put(server, question);
    outcomes.set(key, outcome);
    return outcome;
  };
}

/** Returns whether an outcome answers the question: it is not a fault, a refusal or a failure. */
export function isUsable(outcome: Reply | WireFault): outcome is Reply {
  return typeof outcome !== 'string' && (outcome.rcode === 'NOERROR' || outcome.rcode === 'NXDOMAIN');
}

/** Returns the first few addresses of a kind. */
export function addressesIn(records: readonly DnsRecord[]): string[] {
  return records
    .filter(({ type, value }) => (type === 'A' || type === 'AAAA') && isIP(value) !== 0)
    .map(({ value }) => value)
    .slice(0, ADDRESSES_OF_A_SERVER);
}
