import { pipeline } from 'node:stream/promises';
import express, { type Request, type Response, type Router } from 'express';
import { requireAccount } from '../../routers/access.ts';
import { contextFor } from '../../routers/context.ts';
import { idSchema } from '../../routers/schemas/primitives.ts';
import { AppError, notFound } from '../errors.ts';
import type { Providers } from '../service-context.ts';
import { openExport } from '../services/account/index.ts';
import type { Download } from '../services/download-ticket.ts';
import { openDownload } from '../services/releases/index.ts';

/** What people save: streamed, never whole in memory. Below `/api`. */
export function downloadRoutes(providers: Providers): Router {
  const routes = express.Router({ caseSensitive: true, strict: true });
  routes.get('/releases/:releaseId/download', async (request, response) => {
    const ctx = await contextFor(providers, request, response);
    const releaseId = idSchema.safeParse(request.params.releaseId);
    if (!releaseId.success) throw notFound('release');
    const ticket = ticketOf(request);
    const caller = ticket === null ? requireAccount(ctx) : ctx;
    await send(request, response, await openDownload(caller, releaseId.data, ticket));
  });
  routes.get('/account/export', async (request, response) => {
    const ctx = await contextFor(providers, request, response);
    await send(request, response, await openExport(ctx, ticketOf(request)));
  });
  return routes;
}

function ticketOf(request: Request): string | null {
  const { ticket } = request.query;
  return typeof ticket === 'string' ? ticket : null;
}

async function send(request: Request, response: Response, download: Download): Promise<void> {
  response.setHeader('Content-Type', 'application/zip');
  if (download.sizeBytes !== null) response.setHeader('Content-Length', download.sizeBytes);
  response.setHeader('Content-Disposition', disposition(download));
  // Opened in a tab it would still be no page of ours (security facts, section 12).
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  try {
    await pipeline(download.body, response);
  } catch (error) {
    if (!response.destroyed || error instanceof AppError) throw error;
    throw new AppError('client_closed', 'The download was ended by its reader.', { cause: error });
  }
}

/** RFC 6266 with the name of RFC 5987: letters of all scripts, and ASCII for what does not read it. */
function disposition({ fileName, plainName }: Download): string {
  const visible = fileName.replace(/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/gu, '-');
  const encoded = encodeURIComponent(visible).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plainName}"; filename*=UTF-8''${encoded}`;
}
