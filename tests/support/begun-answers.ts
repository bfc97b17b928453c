import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

const BEGIN = 'http.server.request.start';

/** Collects the answers that the servers of this process begin until the test is over, in their order. */
export function collectAnswers(): ServerResponse[] {
  const answers: ServerResponse[] = [];
  const collect = (begun: unknown): void => void answers.push((begun as { response: ServerResponse }).response);
  subscribe(BEGIN, collect);
  onTestFinished(() => void unsubscribe(BEGIN, collect));
  return answers;
}
