/**
 * The business constants of the specification, section 9, in its order, and the limits of the product page.
 * Times are in milliseconds unless the name says otherwise.
 */
export const REFRESH_THROTTLE_MS = 2_000;
export const SESSION_NOTICE_DELAY_MS = 100;
export const SESSION_REDIRECT_DELAY_MS = 1_500;
export const GET_CACHE_MS = 5 * 60_000;
export const GET_CACHE_ENTRIES = 100;
export const TOAST_LIMIT = 1;
export const TOAST_REMOVE_DELAY_MS = 1_000_000;
export const TOAST_DURATION_MS = 5_000;
export const TOAST_HOTKEY = 'F8';
export const TOAST_SWIPE_THRESHOLD_PX = 50;
export const SESSION_EXPIRED_TOAST_MS = 5_000;
export const SESSION_EXPIRY_MESSAGE_WINDOW_MS = 5 * 60_000;
export const REALTIME_RECONNECT_MS = 10_000;
export const DISCLAIMER_COOKIE_SECONDS = 31_536_000;
export const LOGIN_REDIRECT_DELAY_MS = 500;
export const REGISTER_REDIRECT_DELAY_MS = 1_000;
/** Product page, section 11: 'Account created successfully' replaces the first toast at least this much later. */
export const ACCOUNT_CREATED_TOAST_DELAY_MS = 400;
export const FEEDBACK_PROMPT_DELAY_MS = 60_000;
export const FEEDBACK_STARS = 5;
export const SCROLL_TO_BOTTOM_THRESHOLD_PX = 50;
export const USERNAME_MIN = 3;
export const USERNAME_MAX = 50;
export const LOGIN_PASSWORD_MIN = 6;
export const REGISTRATION_PASSWORD_MIN = 8;
export const PASSWORD_MAX = 100;
export const EMAIL_MAX = 100;
export const CONTACT_NAME_MAX = 100;
export const CONTACT_MESSAGE_MAX = 5_000;
export const STRENGTH_THRESHOLDS = { fair: 30, moderate: 50, strong: 80 } as const;
export const BETA_PRICE_DOLLARS = 10;
export const BETA_MONTHS = 6;
export const TRIAL_DAYS = 14;
export const DEFAULT_ROUTE_AFTER_LOGIN = '/dashboard';
export const TOOLTIP_DELAY_MS = 700;
export const TOOLTIP_SKIP_DELAY_MS = 300;

/** Security facts, section 2.1; what is sent in a day: 1.8. */
export const UPLOAD_LIMITS = {
  maxFiles: 20_000,
  maxFileBytes: 500 * 1024 * 1024,
  maxReleaseBytes: 1024 * 1024 * 1024,
  maxZipBytes: 500 * 1024 * 1024,
  maxPathBytes: 512,
  maxSegmentBytes: 200,
  maxDepth: 32,
  maxManifestBytes: 16 * 1024 * 1024,
  maxOpenUploads: 3,
  openUploadMs: 24 * 60 * 60_000,
  maxAccountBytes: 10 * 1024 * 1024 * 1024,
  maxBytesPerDay: 10 * 1024 * 1024 * 1024,
} as const;

/** Product page, section 10: body of a JSON call; security facts, section 12: calls in one batch. */
export const JSON_BODY_MAX_BYTES = 100 * 1024;
export const BATCH_MAX_CALLS = 10;

/** Product page, section 8: progress on the screen moves at most four times a second. */
export const PROGRESS_INTERVAL_MS = 250;

/** Product page, section 11 and security facts, 3.1: a freed address is kept from others for 30 days. */
export const HELD_SLUG_DAYS = 30;

/** Product page, section 6: a link that was mailed works once, for half an hour. */
export const LINK_MINUTES = 30;

/** Of its damaged files a release names so many. */
export const DAMAGED_FILES_MAX = 50;
