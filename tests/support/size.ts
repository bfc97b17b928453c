/** True when tests run in full counts, as `npm run test:full` has them. */
export const IS_FULL = process.env.FAIRLEAD_FULL_COUNTS === '1';
