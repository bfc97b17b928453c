import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Providers } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { answerError } from './answer-error.ts';
import { downloadRoutes } from './downloads.ts';
import { healthRoutes, type Readiness } from './health.ts';
import { paymentWebhookRoutes } from './payment-webhook.ts';
import { restRoutes } from './rest.ts';
import { requireOwnOrigin, setApiHeaders } from './security.ts';
import { uploadRoutes } from './uploads.ts';
import type { WebApp } from './web-app.ts';

/**
 * Answers everything over HTTP except tRPC, which the server answers first (server.ts). Middleware runs in the order
 * below.
 */
export function createApp(providers: Providers, webApp: WebApp, readiness: Readiness): Express {
  const app = express();
  // Measured: each of these costs a fifth of a small answer; our answers carry `no-store` or an ETag of their own.
  app.disable('x-powered-by');
  app.disable('etag');

  app.use(healthRoutes(readiness));
  app.use('/api', apiHeaders(providers));
  app.use('/api', guard(providers));
  app.use('/api/uploads', uploadRoutes(providers));
  app.use('/api', downloadRoutes(providers));
  app.use(paymentWebhookRoutes(providers));
  app.use(restRoutes(providers));
  app.use('/api', unknownCall);
  app.use(pages(webApp));
  app.use(failure(providers));
  return app;
}

function apiHeaders(providers: Providers): RequestHandler {
  return (_request, response, next) => {
    setApiHeaders(response, providers.addresses);
    next();
  };
}

function guard(providers: Providers): RequestHandler {
  return (request, _response, next) => {
    requireOwnOrigin(request, request.originalUrl, providers.addresses);
    next();
  };
}

const unknownCall: RequestHandler = () => {
  throw new AppError('not_found', 'This address of the API does not exist.');
};

function pages(webApp: WebApp): RequestHandler {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', `${request.method} is not possible here.`);
    }
    if (!webApp.answer(request, response, request.path)) throw new AppError('not_found', 'This file does not exist.');
  };
}

/** Express recognizes an error handler by its four parameters. */
function failure(providers: Providers): ErrorRequestHandler {
  return (error, request, response, _next) => {
    answerError(request, response, error, providers.log);
  };
}
