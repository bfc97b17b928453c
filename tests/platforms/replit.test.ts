import { platformSuite } from '../support/platform-suite.ts';
import { replitUnderTest } from '../support/standins/replit/world.ts';

await platformSuite('Replit', replitUnderTest);
