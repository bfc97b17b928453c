import { createServer } from 'node:http';
import type { ChallengeSolver } from '../../server/domains/certificates/authority/challenges.ts';
import { atFreePort } from './at-free-port.ts';

export type ChallengeServer = AsyncDisposable & { port: number; solver: ChallengeSolver; asked: string[] };

const PATH = '/.well-known/acme-challenge/';

/** Answers HTTP-01 at 127.0.0.1, for every name; `wrong` answers with something else. */
export async function startChallengeServer({ wrong = false } = {}): Promise<ChallengeServer> {
  const texts = new Map<string, string>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    const text = texts.get((request.url ?? '').slice(PATH.length));
    response.writeHead(text === undefined ? 404 : 200).end(wrong ? 'another server' : text);
  });
  return {
    ...(await atFreePort(server)),
    asked,
    solver: {
      type: 'http-01',
      put: async (answers) => {
        for (const { token, text } of answers) texts.set(token, text);
      },
      remove: async (answers) => {
        for (const { token } of answers) texts.delete(token);
      },
    },
  };
}
