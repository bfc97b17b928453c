/** The pages of mailed one-time links, by the kind of the mail. The link carries its secret in the address. */
export const MAILED_LINK_PATHS = {
  'reset-password': '/auth/reset',
  'confirm-email': '/auth/confirm',
  'stop-email-change': '/auth/stop-email-change',
  'delete-account': '/auth/delete-account',
} as const;
