/** Every API token begins with this, so that people and scanners recognize one. */
export const TOKEN_PREFIX = 'flt_';
