import { ChallengeAnswerModel } from '../database/models/domains/challenge-answer.ts';
import type { WebResponse } from '../http/transport/http2-response.ts';
import { createSingleFlight } from './single-flight.ts';

/** RFC 8555, section 8.3: base64url; authorities send 43 characters. */
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

export type ChallengeAnswers = {
  /** Returns the answer to this token, whichever instance ordered; null for a token that is not expected. */
  find(token: string, visitor: string): Promise<string | null>;
};

/**
 * Answers the authority that asks whether a name belongs to this host. A visitor who asks for other tokens without end
 * has a few lookups at a time, and delays no authority, at whichever name.
 */
export function createChallengeAnswers(): ChallengeAnswers {
  const lookups = createSingleFlight<string | null>();
  return {
    find(token, visitor) {
      if (!TOKEN.test(token)) return Promise.resolve(null);
      return lookups.once(token, visitor, async () => {
        const found = await ChallengeAnswerModel.findById(token, { text: 1 }).lean();
        return found?.text ?? null;
      });
    },
  };
}

/** An authority asks once, and takes any type of content. */
export function sendChallengeText(response: WebResponse, text: string): void {
  const body = Buffer.from(text);
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)];
  response.writeHead(200, [...headers, 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']).end(body);
}
