import { serveRequests } from '#processes';
import { scan } from './scan.ts';

/** The program of the child that searches: native code that fails takes no call with it, and no search stalls the server. */
serveRequests(scan);
