export { requestsRoutes } from './requests.routes.ts';
export { createRequests, failedRequestMonths, type Requests } from './requests.ts';
export type { Failure, RequestTarget, RequestTrack } from './running-call.ts';
