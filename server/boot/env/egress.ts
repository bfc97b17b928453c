import * as z from 'zod/mini';
import { holdsLoopback, parseRange } from '../../lib/egress/rules.ts';
import { isApiUrl } from '../../lib/egress/url-rules.ts';
import type { PlatformUrls } from '../../publishing/platforms/platform.ts';

/** The path is part of the base address and ends without a slash, because adapters append to it. */
const apiUrl = z.pipe(
  z
    .string()
    .check(z.refine(isApiUrl, 'it must be http:// or https:// with a host, like https://ghe.example.com/api/v3')),
  z.transform((text: string) => (text.endsWith('/') ? text.slice(0, -1) : text)),
);
const RANGES_TEXT = 'it must be a list of address ranges like 127.0.0.0/8,::1/128';
const ranges = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const parsed = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseRange(part.trim())]));
    if (parsed.includes(null)) context.issues.push({ code: 'custom', input: text, message: RANGES_TEXT });
    return parsed.filter((range) => range !== null);
  }),
);

/** The addresses that requests go out to, and the parts of this network that they may reach. */
export const egressVariables = {
  NETLIFY_API_URL: z._default(apiUrl, 'https://api.netlify.com/api/v1'),
  VERCEL_API_URL: z._default(apiUrl, 'https://api.vercel.com'),
  GITHUB_API_URL: z._default(apiUrl, 'https://api.github.com'),
  RENDER_API_URL: z._default(apiUrl, 'https://api.render.com/v1'),
  HEROKU_API_URL: z._default(apiUrl, 'https://api.heroku.com'),
  EGRESS_ALLOW: z._default(ranges, []),
};

type Values = Record<'NETLIFY' | 'VERCEL' | 'GITHUB' | 'RENDER' | 'HEROKU', string>;

/** Returns the base address of each platform's API. */
export function platformUrls(values: { [Name in keyof Values as `${Name}_API_URL`]: string }): PlatformUrls {
  return {
    netlify: values.NETLIFY_API_URL,
    vercel: values.VERCEL_API_URL,
    'github-pages': values.GITHUB_API_URL,
    render: values.RENDER_API_URL,
    heroku: values.HEROKU_API_URL,
  };
}

/** Returns why these ranges are not allowed in an app that others can reach, or null when they are. */
export function egressFault(allowed: string | undefined, isLocal: boolean): string | null {
  if (isLocal || !ranges.parse(allowed ?? '').some(holdsLoopback)) return null;
  return 'it may include this machine only while PUBLIC_URL is on localhost';
}

/** Returns the warning that every start logs: the ranges named here are a way into the operator's own network. */
export function egressWarning(allowed: string | undefined): string[] {
  return allowed === undefined ? [] : [`EGRESS_ALLOW lets requests go to addresses that are not public: ${allowed}.`];
}
