/** How every API token begins, so that people and scanners know one when they see it. */
export const TOKEN_PREFIX = 'flt_';
