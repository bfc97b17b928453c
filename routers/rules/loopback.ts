/**
 * Returns whether an address is this machine's own: 127.0.0.0/8, also as a dual-stack listener shows it, or ::1 (RFC
 * 1122, section 3.2.1.3; RFC 4291, sections 2.5.3 and 2.5.5.2).
 */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.[\d.]+$|^::1$/.test(address);
}
