/** Secrets of the stand-in's account. */
export const SECRET_KEY = 'sk_test_standin1234';
export const WEBHOOK_SECRET = 'whsec_standin12345678';
