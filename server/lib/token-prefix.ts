/** Every API token begins with this, so that people and scanners recognize one. */
export const TOKEN_PREFIX = 'flt_';

/** Every access token of a session begins with this. */
export const ACCESS_PREFIX = 'fla_';
