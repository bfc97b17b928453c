import type { Asked } from '../../routers/schemas/diagnostics.ts';
import type { Lookups, ServerAnswer } from '../dns/dns-client.ts';
import { addressesBehind } from '../domains/records/dns-answers.ts';
import type { ServerAddress, Tools, Visit } from './checks/check.ts';

/** The questions of one check that a report keeps. */
const ASKED_MAX = 24;
const ANSWER_MAX = 300;

/** The means of asking. */
export type Ways = Pick<Tools, 'caaOf' | 'visit' | 'handshake'> & {
  lookups: Lookups;
  /** Returns the port for TLS at the server. */
  portAt(server: ServerAddress): number;
};

type NotedTools = Pick<
  Tools,
  'zoneOf' | 'askNameServers' | 'askResolvers' | 'checkDnssec' | 'caaOf' | 'visit' | 'handshake'
>;

/** Builds tools that record each question, with its result, in the list of its check. */
export function notedTools({ lookups, portAt, ...ways }: Ways, asked: Asked[]): NotedTools {
  return {
    ...dnsTools(lookups, asked),
    caaOf: (name) => noted(asked, `CAA ${name}`, 'name servers', () => ways.caaOf(name), caaAnswer),
    visit: (url, server) =>
      noted(asked, `GET ${url}`, server?.address ?? '', () => ways.visit(url, server), visitAnswer),
    handshake: (name, server, onlyVersion) =>
      noted(
        asked,
        `TLS handshake for ${name}${onlyVersion ? ` with ${onlyVersion}` : ''}`,
        `${server.address}:${portAt(server)}`,
        () => ways.handshake(name, server, onlyVersion),
        (shown) =>
          shown.kind === 'secured' ? `${shown.protocol}, ${shown.certificate.error ?? 'valid'}` : shown.detail,
      ),
  };
}

function dnsTools(
  lookups: Lookups,
  asked: Asked[],
): Pick<Tools, 'zoneOf' | 'askNameServers' | 'askResolvers' | 'checkDnssec'> {
  return {
    zoneOf: (name) =>
      noted(
        asked,
        `Name servers of ${name}`,
        'the zones above it',
        () => lookups.zoneOf(name),
        (zone) => (zone === null ? 'not registered' : zone.servers.map((server) => server.name).join(', ')),
      ),
    async askNameServers(name, type) {
      const begun = performance.now();
      const isAddress = type === 'A' || type === 'AAAA';
      const answers = isAddress
        ? await addressesBehind(lookups, { name, type })
        : (await lookups.askNameServers(name, type)).answers;
      for (const answer of answers) noteAnswer(asked, `${type} ${name}`, answer, begun);
      return answers;
    },
    async askResolvers(name, type) {
      const begun = performance.now();
      const answers = await lookups.askResolvers(name, type);
      for (const answer of answers) noteAnswer(asked, `${type} ${name}`, { ...answer, server: 'resolver' }, begun);
      return answers;
    },
    checkDnssec: (name) =>
      noted(
        asked,
        `Signatures of ${name}`,
        'resolvers that check them',
        () => lookups.checkDnssec(name),
        (state) => state,
      ),
  };
}

function noteAnswer(asked: Asked[], question: string, answer: ServerAnswer, begun: number): void {
  const { server, address, values, error, cname } = answer;
  const text =
    values === null ? (error ?? 'no answer') : values.join(', ') || (cname === null ? 'nothing' : `alias of ${cname}`);
  note(asked, {
    question,
    server: `${server} (${address})`,
    answer: text,
    tookMs: Math.round(performance.now() - begun),
  });
}

function note(asked: Asked[], { question, server, answer, tookMs }: Asked): void {
  if (asked.length >= ASKED_MAX) return;
  const cut = (text: string): string => text.slice(0, ANSWER_MAX);
  asked.push({ question: cut(question), server: cut(server), answer: cut(answer), tookMs });
}

async function noted<T>(
  asked: Asked[],
  question: string,
  server: string,
  ask: () => Promise<T>,
  answer: (value: T) => string,
): Promise<T> {
  const begun = performance.now();
  const tookMs = (): number => Math.round(performance.now() - begun);
  try {
    const value = await ask();
    note(asked, { question, server, answer: answer(value), tookMs: tookMs() });
    return value;
  } catch (error) {
    note(asked, { question, server, answer: error instanceof Error ? error.message : 'no answer', tookMs: tookMs() });
    throw error;
  }
}

const caaAnswer = (set: { name: string; values: string[] } | null): string =>
  set === null ? 'none' : `${set.name}: ${set.values.join(', ')}`;

function visitAnswer(visit: Visit): string {
  if (visit.fault !== null) return visit.detail;
  const location = visit.headers.get('location');
  return location === null ? String(visit.status) : `${visit.status} to ${location}`;
}
