import { callTRPCProcedure } from '@trpc/server';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { appRouter } from '../../routers/_app.ts';
import { contextFor } from '../../routers/context.ts';
import { decodeInput } from '../../routers/decode-input.ts';
import { JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import type { Providers } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { holdBody } from './body-budget.ts';

type RestCall = { method: 'get' | 'post'; path: string; procedure: string; takesBody?: true };

/** The documented REST calls; each runs the same procedure as the app. */
export const REST_CALLS: readonly RestCall[] = [
  { method: 'post', path: '/api/refresh-token', procedure: 'auth.refresh' },
  { method: 'get', path: '/api/user', procedure: 'user.get' },
  { method: 'post', path: '/api/login', procedure: 'auth.login', takesBody: true },
  { method: 'post', path: '/api/register', procedure: 'auth.register', takesBody: true },
  { method: 'post', path: '/api/logout', procedure: 'auth.logout' },
  { method: 'get', path: '/api/subscription', procedure: 'subscription.get' },
  { method: 'post', path: '/api/feedback', procedure: 'feedback.rate', takesBody: true },
  { method: 'post', path: '/api/accept-disclaimer', procedure: 'disclaimer.accept' },
];

/** Returns the routes of the REST API: dates leave as ISO strings, and errors go to the app's last handler. */
export function restRoutes(providers: Providers): Router {
  const router = Router();
  const readJson = express.json({ limit: JSON_BODY_MAX_BYTES });
  const hold: RequestHandler = async (request, response, next) => {
    await holdBody(providers, request, response);
    next();
  };
  for (const call of REST_CALLS) {
    const route = router.route(call.path);
    const answer = (request: Request, response: Response): Promise<void> =>
      answerCall(providers, call, request, response);
    if (call.method === 'get') route.get(answer);
    else if (call.takesBody) route.post(hold, readJson, answer);
    else route.post(answer);
    route.all((request, response) => {
      response.setHeader('Allow', call.method === 'get' ? 'GET, HEAD' : 'POST');
      throw new AppError('method_not_allowed', `${request.method} is not possible here.`);
    });
  }
  return router;
}

async function answerCall(providers: Providers, call: RestCall, request: Request, response: Response): Promise<void> {
  const ctx = await contextFor(providers, request, response);
  const input = call.takesBody ? decodeInput({ json: request.body }) : undefined;
  const answer: unknown = await callTRPCProcedure({
    router: appRouter,
    path: call.procedure,
    getRawInput: async () => input,
    ctx,
    type: call.method === 'get' ? 'query' : 'mutation',
    signal: undefined,
    batchIndex: 0,
  });
  response.json(answer);
}
