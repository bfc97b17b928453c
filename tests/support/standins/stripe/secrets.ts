/** Of the account that the stand-in has. */
export const SECRET_KEY = 'sk_test_standin1234';
export const WEBHOOK_SECRET = 'whsec_standin12345678';
