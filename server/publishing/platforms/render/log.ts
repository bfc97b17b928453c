import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { ask, type Vendor } from '../http.ts';
import type { PlatformCall } from '../platform.ts';
import { readDeploy, type Service } from './service.ts';

/** The largest `limit` that Render accepts. */
const LINES_A_PAGE = 100;
/** The last 1,000 lines of a log are enough to see an error. */
const PAGES_MAX = 10;
/** Lines are written a moment after the event. */
const AFTERWARDS_MS = 60_000;

const logsSchema = z.object({
  hasMore: z.optional(z.boolean()),
  nextStartTime: z.optional(z.string()),
  nextEndTime: z.optional(z.string()),
  logs: listOf(z.object({ message: z.string(), timestamp: z.string() })),
});

/**
 * `GET /logs`: returns the output of the service's builds in a span of time, since a line does not name its deploy.
 * The newest come first, page by page.
 */
export async function readBuildLog(
  vendor: Vendor,
  call: PlatformCall,
  { serviceId, ownerId }: Service,
  deployId: string,
): Promise<string> {
  const { createdAt, finishedAt } = await readDeploy(vendor, call, serviceId, deployId);
  const query = new URLSearchParams({ ownerId, resource: serviceId, type: 'build', direction: 'backward' });
  query.set('limit', String(LINES_A_PAGE));
  if (createdAt) query.set('startTime', createdAt);
  if (finishedAt) query.set('endTime', new Date(Date.parse(finishedAt) + AFTERWARDS_MS).toISOString());
  const lines: string[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { logs, ...next } = await ask(call, vendor, { withToken: true, url: `/logs?${query}` }, logsSchema);
    lines.push(...logs.map(({ timestamp, message }) => `${timestamp} ${message}`));
    if (next.hasMore !== true || !next.nextStartTime || !next.nextEndTime) break;
    query.set('startTime', next.nextStartTime);
    query.set('endTime', next.nextEndTime);
  }
  return lines.toReversed().join('\n');
}
