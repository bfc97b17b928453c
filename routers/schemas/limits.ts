/**
 * These are the business constants of the specification, section 9, in its order, and the further limits of the app.
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
/** 'Account created successfully' replaces the first toast at least this much later, so that the first can be read. */
export const ACCOUNT_CREATED_TOAST_DELAY_MS = 400;
export const FEEDBACK_PROMPT_DELAY_MS = 60_000;
export const FEEDBACK_STARS = 5;
/** What feedback about the app itself is filed under, in the place of a deployment. */
export const FEEDBACK_MAIN_APP = 'main-app';
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

/** Limits of one upload, of one account and of one day. They keep one account from filling the disk of all. */
export const UPLOAD_LIMITS = {
  maxFiles: 20_000,
  maxFileBytes: 500 * 1024 * 1024,
  maxReleaseBytes: 1024 * 1024 * 1024,
  maxZipBytes: 500 * 1024 * 1024,
  maxPathBytes: 1_024,
  /** As in a folder on Linux (POSIX NAME_MAX; ext4, xfs, btrfs). */
  maxSegmentBytes: 255,
  maxDepth: 32,
  maxManifestBytes: 16 * 1024 * 1024,
  /** Of small files that travel together. */
  maxBundleBytes: 8 * 1024 * 1024,
  maxOpenUploads: 3,
  openUploadMs: 24 * 60 * 60_000,
  maxAccountBytes: 10 * 1024 * 1024 * 1024,
  maxBytesPerDay: 10 * 1024 * 1024 * 1024,
  maxAccountFiles: 200_000,
  maxListedFiles: 10_000_000,
  /** Counts the archives that were cut off and wait for their rest. */
  maxPartBytes: 1024 * 1024 * 1024,
  /** Of the precompressed variants of all its releases; what is beyond is served as it is. */
  maxVariantBytes: 5 * 1024 * 1024 * 1024,
  /**
   * Until an account has a plan and a confirmed address, or is some days old where no mail is sent: enough for an ordinary
   * first site, and too little to fill a disk with accounts that cost nothing. A trial alone costs nothing either.
   */
  maxAccountBytesAtFirst: 100 * 1024 * 1024,
  maxBytesPerDayAtFirst: 200 * 1024 * 1024,
} as const;

/** The first days of an account, in which it is new, where no mail is sent that would confirm its address. */
export const UNCONFIRMED_DAYS = 3;

/** The body of a JSON call and the calls in one batch are bounded, so that one request cannot hold the process. */
export const JSON_BODY_MAX_BYTES = 100 * 1024;
export const BATCH_MAX_CALLS = 10;

/** Progress on the screen moves at most four times a second. */
export const PROGRESS_INTERVAL_MS = 250;

/**
 * A freed address that was live is kept from others for 30 days, so that nobody inherits the visitors of a removed site by
 * accident.
 */
export const HELD_SLUG_DAYS = 30;

/** Of one account at once, so that nobody can keep names from everybody; the oldest gives way. */
export const HELD_SLUGS_MAX = 10;

/** Of a deployment, the newest: of older ones rows and logs go, except what visitors have. */
export const RELEASES_KEPT = 500;
/** Of a deployment, the newest, too. */
export const ROLL_BACKS_KEPT = 500;

/** How long the mailed link works that sets a new password: whoever has it owns the account. */
export const RESET_LINK_MINUTES = 30;
/** The one that confirms an address opens nothing else, and mail may be read a day later. */
export const CONFIRM_LINK_HOURS = 24;

/** The link that stops a change of address outlives the one that confirms it: its reader may be away for some days. */
export const STOP_LINK_DAYS = 7;
/** How long the mailed link works that deletes an account. */
export const DELETE_LINK_MINUTES = 30;

/** A release names at most this many of its corrupted files. */
export const CORRUPTED_FILES_MAX = 50;

/** A release names at most this many of the files that its entry page asks for and that are not there. */
export const MISSING_LINKS_MAX = 20;

/** Names that an account may have in all, those of unlimited plans as well, and of them claims that are not proved. */
export const DOMAINS_MAX = 1_000;
export const UNPROVED_DOMAINS_MAX = 50;

/** A claim that is not proved by then ends, and blocks nobody before. */
export const DOMAIN_CLAIM_DAYS = 7;
/** The ranges in which visits can be looked at, in days; one day is the last 24 hours. 396 days are 13 months. */
export const ANALYTICS_RANGE_DAYS = [1, 7, 30, 90, 396] as const;
