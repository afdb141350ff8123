export { requestsRoutes } from './requests.routes.ts';
export { createRequests, type Failure, type ReceivedRequest, type Requests, type RequestTrack } from './requests.ts';
