/**
 * The business constants of the specification, section 9, in its order, and the further limits of the app. Times are
 * in milliseconds unless the name says otherwise.
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
/** A session that nobody uses ends after 30 days, and so does its cookie. */
export const SESSION_IDLE_SECONDS = 2_592_000;
export const LOGIN_REDIRECT_DELAY_MS = 500;
export const REGISTER_REDIRECT_DELAY_MS = 1_000;
/** 'Account created successfully' replaces the first toast at least this much later, so that the first can be read. */
export const ACCOUNT_CREATED_TOAST_DELAY_MS = 400;
export const FEEDBACK_PROMPT_DELAY_MS = 60_000;
export const FEEDBACK_STARS = 5;
export const FEEDBACK_COMMENT_MAX = 2_000;
/** Feedback about the app itself has this in place of a deployment. */
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

export const DEPLOYMENT_NAME_MAX = 80;
/**
 * The longest name in the address of a deployment. A label of a host name holds at most 63 characters (RFC 1035,
 * section 2.3.4), and the address of a release puts `r{number}--` in front.
 */
export const SLUG_MAX = 50;

/** The limits of one upload, of one account and of one day. They keep one account from filling the common disk. */
export const UPLOAD_LIMITS = {
  maxFiles: 20_000,
  maxFileBytes: 500 * 1024 * 1024,
  maxReleaseBytes: 1024 * 1024 * 1024,
  maxZipBytes: 500 * 1024 * 1024,
  maxPathBytes: 1_024,
  /** Equals the limit of a folder on Linux (POSIX NAME_MAX; ext4, xfs, btrfs). */
  maxSegmentBytes: 255,
  maxDepth: 32,
  maxManifestBytes: 16 * 1024 * 1024,
  /** The limit for small files that travel together. */
  maxBundleBytes: 8 * 1024 * 1024,
  maxOpenUploads: 3,
  openUploadMs: 24 * 60 * 60_000,
  maxAccountBytes: 10 * 1024 * 1024 * 1024,
  maxBytesPerDay: 10 * 1024 * 1024 * 1024,
  maxAccountFiles: 200_000,
  maxListedFiles: 10_000_000,
  /** Limits the cut-off archives that wait for their rest. */
  maxPartBytes: 1024 * 1024 * 1024,
  /**
   * The allowance until an account has a plan and a confirmed address, or is some days old if no mail is sent: enough
   * for an ordinary first site, and too little to fill a disk with accounts that cost nothing. A trial alone costs
   * nothing either.
   */
  maxAccountBytesAtFirst: 100 * 1024 * 1024,
  maxBytesPerDayAtFirst: 200 * 1024 * 1024,
} as const;

/** An account counts as new for these days if no mail is sent that could confirm its address. */
export const UNCONFIRMED_DAYS = 3;

/** The body of a JSON call and the calls in one batch are bounded, so that one request cannot block the process. */
export const JSON_BODY_MAX_BYTES = 100 * 1024;
export const BATCH_MAX_CALLS = 10;

/** Progress on the screen is updated at most four times a second. */
export const PROGRESS_INTERVAL_MS = 250;

/**
 * The freed address of a live site is reserved for 30 days, so that nobody gets the visitors of a removed site by
 * accident.
 */
export const HELD_SLUG_DAYS = 30;

/** The limit for one account, so that nobody can reserve names for ever; the oldest gives way. */
export const HELD_SLUGS_MAX = 10;

/**
 * The newest releases of a deployment; rows and logs of older ones are deleted, except for the one that visitors see.
 */
export const RELEASES_KEPT = 500;
/** The newest rollbacks of a deployment, too. */
export const ROLL_BACKS_KEPT = 500;

/** The lifetime of a mailed link for a new password, whose holder owns the account. */
export const RESET_LINK_MINUTES = 30;
/** A link that confirms an address opens nothing else, and mail may be read a day later. */
export const CONFIRM_LINK_HOURS = 24;

/** The link that stops a change of address outlives the one that confirms it: its reader may be away for some days. */
export const STOP_LINK_DAYS = 7;
/** The lifetime of a mailed link that deletes an account. */
export const DELETE_LINK_MINUTES = 30;

/** A release names at most this many of its corrupted files. */
export const CORRUPTED_FILES_MAX = 50;

/** A release names at most this many missing files of its entry page, and as many links that lead nowhere. */
export const MISSING_LINKS_MAX = 20;

/** The names that an account may have in all, even with an unlimited plan, and the unproved claims among them. */
export const DOMAINS_MAX = 1_000;
export const UNPROVED_DOMAINS_MAX = 50;

/** A claim that is not proved by then ends; it blocks nobody before. */
export const DOMAIN_CLAIM_DAYS = 7;
/** The ranges of visits, in days; one day is the last 24 hours. 396 days are 13 months. */
export const ANALYTICS_RANGE_DAYS = [1, 7, 30, 90, 396] as const;
