/**
 * Every error of Fairlead: its stable code, the HTTP status of the REST adapter and of plain calls, and the tRPC code.
 * Texts for people are written where the error is thrown, since only that place knows the number or the name.
 */
export const ERROR_CODES = {
  validation_failed: { status: 400, trpc: 'BAD_REQUEST' },
  bad_request: { status: 400, trpc: 'BAD_REQUEST' },
  upload_refused: { status: 400, trpc: 'BAD_REQUEST' },
  hash_mismatch: { status: 400, trpc: 'BAD_REQUEST' },
  token_invalid: { status: 400, trpc: 'BAD_REQUEST' },
  unauthenticated: { status: 401, trpc: 'UNAUTHORIZED' },
  credentials_wrong: { status: 401, trpc: 'UNAUTHORIZED' },
  session_ended: { status: 401, trpc: 'UNAUTHORIZED' },
  account_deleted: { status: 401, trpc: 'UNAUTHORIZED' },
  origin_foreign: { status: 403, trpc: 'FORBIDDEN' },
  scope_missing: { status: 403, trpc: 'FORBIDDEN' },
  session_required: { status: 403, trpc: 'FORBIDDEN' },
  plan_required: { status: 403, trpc: 'FORBIDDEN' },
  deployment_limit_reached: { status: 403, trpc: 'FORBIDDEN' },
  domain_limit_reached: { status: 403, trpc: 'FORBIDDEN' },
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  license_unknown: { status: 404, trpc: 'NOT_FOUND' },
  procedure_unknown: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  conflict: { status: 409, trpc: 'CONFLICT' },
  username_taken: { status: 409, trpc: 'CONFLICT' },
  email_taken: { status: 409, trpc: 'CONFLICT' },
  slug_taken: { status: 409, trpc: 'CONFLICT' },
  name_taken: { status: 409, trpc: 'CONFLICT' },
  domain_taken: { status: 409, trpc: 'CONFLICT' },
  out_of_sync: { status: 409, trpc: 'CONFLICT' },
  platform_place_gone: { status: 409, trpc: 'CONFLICT' },
  plan_outdated: { status: 409, trpc: 'CONFLICT' },
  records_changed: { status: 409, trpc: 'CONFLICT' },
  trial_used: { status: 409, trpc: 'CONFLICT' },
  license_redeemed: { status: 409, trpc: 'CONFLICT' },
  license_revoked: { status: 409, trpc: 'CONFLICT' },
  license_expired: { status: 409, trpc: 'CONFLICT' },
  deployment_busy: { status: 409, trpc: 'CONFLICT' },
  state_changed: { status: 409, trpc: 'CONFLICT' },
  upload_incomplete: { status: 409, trpc: 'CONFLICT' },
  upload_closed: { status: 409, trpc: 'CONFLICT' },
  release_unchanged: { status: 409, trpc: 'CONFLICT' },
  hash_unannounced: { status: 409, trpc: 'CONFLICT' },
  body_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  body_type_unsupported: { status: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
  platform_unavailable: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  credentials_invalid: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  permission_missing: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  zone_not_found: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  payment_required: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  plan_limit: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  records_refused: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  content_refused: { status: 422, trpc: 'UNPROCESSABLE_CONTENT' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  quota_exhausted: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  client_closed: { status: 499, trpc: 'CLIENT_CLOSED_REQUEST' },
  internal: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  artifact_corrupted: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  verification_failed: { status: 502, trpc: 'BAD_GATEWAY' },
  mail_refused: { status: 502, trpc: 'BAD_GATEWAY' },
  platform_failed: { status: 502, trpc: 'BAD_GATEWAY' },
  payments_failed: { status: 502, trpc: 'BAD_GATEWAY' },
  platform_down: { status: 502, trpc: 'BAD_GATEWAY' },
  database_busy: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  database_unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  storage_unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  overloaded: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  payments_unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  shutting_down: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  lease_lost: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
  storage_full: { status: 507, trpc: 'INTERNAL_SERVER_ERROR' },
} as const satisfies Record<string, { status: number; trpc: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The fields of every error beside its message: in `data` over tRPC, at the top level over REST. */
export type ErrorDetails = {
  code: ErrorCode;
  requestId: string;
  hint?: string;
  field?: string;
  /** Maps the name of each field to its first message, for a form. */
  fieldErrors?: Record<string, string>;
  /** Only `upload_refused` has these: the broken rule and the entry that broke it. */
  reason?: string;
  path?: string;
  retryAfterMs?: number;
};
