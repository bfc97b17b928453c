import { platformSuite } from '../support/platform-suite.ts';
import { herokuUnderTest } from '../support/standins/heroku/world.ts';

await platformSuite('Heroku', herokuUnderTest);
