import { type Check, fail, pass, unknown, warn } from '../check.ts';

/** Checks which versions of TLS the host supports. */
export const protocol: Check = {
  id: 'protocol',
  why: 'TLS 1.0 and 1.1 are broken (RFC 8996). TLS 1.3 is faster and safer than 1.2.',
  applies: ({ hasTls }) => hasTls,
  async run({ name }, tools) {
    const [server] = await tools.serversOf(name);
    if (server === undefined) return unknown(`${name} has no address to check.`);
    const best = await tools.handshake(name, server);
    if (best.kind === 'no_route') return unknown(`${server.address} cannot be reached from here.`);
    if (best.kind !== 'secured') return fail(`${server.address} speaks no TLS.`, 'Switch https on at the host.');
    const old = await tools.handshake(name, server, 'TLSv1.1');
    if (old.kind === 'secured')
      return fail(`${server.address} still accepts TLS 1.1.`, 'Switch TLS 1.0 and 1.1 off at the host.');
    if (best.protocol !== 'TLSv1.3')
      return warn(`${server.address} supports ${best.protocol} at best.`, 'Switch TLS 1.3 on at the host.');
    return pass(`${server.address} speaks TLS 1.3, and none of the broken versions.`);
  },
};
