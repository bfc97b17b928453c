const FUNCTION_PREFIX = '/.netlify/functions/api/';
const API_PREFIX = '/api/';
const SERVERLESS_HOSTS = /(^|\.)netlify\.app$/;

/**
 * Rewrites an API path for a page on `pageHost`: on the serverless provider's hosts, and on the one production host
 * that was named at build time, `/api/…` becomes the function-hosted prefix.
 */
export function rewriteApiPath(path: string, pageHost: string, functionApiHost: string): string {
  if (!path.startsWith(API_PREFIX)) return path;
  const host = pageHost.toLowerCase();
  const isFunctionHosted =
    SERVERLESS_HOSTS.test(host) || (functionApiHost !== '' && host === functionApiHost.toLowerCase());
  return isFunctionHosted ? FUNCTION_PREFIX + path.slice(API_PREFIX.length) : path;
}
