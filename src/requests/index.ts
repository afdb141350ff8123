export type { ReceivedRequest } from './request-record.ts';
export { requestsRoutes } from './requests.routes.ts';
export { createRequests, type Failure, type Requests, type RequestTrack } from './requests.ts';
