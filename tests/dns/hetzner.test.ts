import { dnsSuite } from '../support/dns-suite.ts';
import { hetznerUnderTest } from '../support/standins/hetzner/index.ts';

dnsSuite('Hetzner', hetznerUnderTest);
