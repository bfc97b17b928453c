import express, { type RequestHandler, Router } from 'express';
import { JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import type { Providers } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { takePaymentNotice } from '../plans/payments/customer.ts';
import { holdBody } from './body-budget.ts';

/** The payment service sends its notices here. */
export const PAYMENT_WEBHOOK_PATH = '/api/payments/webhook';

/**
 * Returns the route for payment notices. The signature covers the bytes as sent, so the body is read raw, within the
 * limits of every other call, before anything parses it. The answer is sent once the notice is stored; a job processes
 * it.
 */
export function paymentWebhookRoutes(providers: Providers): Router {
  const router = Router();
  const isHosted: RequestHandler = (_request, _response, next) => {
    if (providers.payments.hosted === undefined) {
      throw new AppError('not_found', 'This address of the API does not exist.');
    }
    next();
  };
  const hold: RequestHandler = async (request, response, next) => {
    await holdBody(providers, request, response);
    next();
  };
  const readBytes = express.raw({ type: () => true, limit: JSON_BODY_MAX_BYTES, inflate: false });
  const route = router.route(PAYMENT_WEBHOOK_PATH);
  route.all(isHosted);
  route.post(hold, readBytes, async (request, response) => {
    const body: unknown = request.body;
    const signature = request.get('stripe-signature') ?? '';
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    await takePaymentNotice(providers, { body: bytes, signature });
    response.json({ received: true });
  });
  route.all((request, response) => {
    response.setHeader('Allow', 'POST');
    throw new AppError('method_not_allowed', `${request.method} is not possible here.`);
  });
  return router;
}
