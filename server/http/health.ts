import { type Response, Router } from 'express';

/** The state of each part of the instance; the texts are for operators and name no secret. */
export type ReadinessReport = {
  isReady: boolean;
  parts: { database: PartState; store: PartState; worker: PartState };
};
export type PartState = 'ok' | 'unavailable';

/** `/api/ready` asks this; it is false from the first moment of a stop. */
export type Readiness = { check(): Promise<ReadinessReport> };

const RETRY_AFTER_SECONDS = 2;

/**
 * Returns the routes for health: `/api/health` answers while the process lives; `/api/ready` answers 200 when
 * database, store and worker work, else 503, for a load balancer or an operator. Neither needs authentication.
 */
export function healthRoutes(readiness: Readiness): Router {
  const router = Router();
  router.get('/api/health', (_request, response) => {
    send(response, 200, { status: 'ok' });
  });
  router.get('/api/ready', async (_request, response) => {
    const { isReady, parts } = await readiness.check();
    if (!isReady) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
    send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', ...parts });
  });
  return router;
}

function send(response: Response, status: number, body: Record<string, string>): void {
  response.setHeader('Cache-Control', 'no-store');
  response.status(status).json(body);
}
