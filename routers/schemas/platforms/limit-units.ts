/**
 * Returns the base of the units of a limit: vendors count in thousands or in 1,024s. A size that is compared with the
 * limit is shown in the same units, or the two numbers would not add up.
 */
export function unitBaseOf(limitBytes: number): 1_000 | 1_024 {
  return limitBytes % 1_024 ** 2 === 0 ? 1_024 : 1_000;
}
