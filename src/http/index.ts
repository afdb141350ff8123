export { prefersType } from './accept.ts';
export { type Authenticator, eitherOf, type Principal } from './auth-hook.ts';
export { compatBody, type ParsedBody } from './body.ts';
export { readRange } from './byte-range.ts';
export { answerCacheable, cacheableText, isKnownVersion } from './cached-answer.ts';
export { type Caller, lossOf, type OutlivingWork, outliveCaller, watchCaller, whyItEnded } from './callers.ts';
export type { Contract, ContractAnswer } from './contract.ts';
export { type ErrorEnvelope, nativeErrors, openAiErrors } from './error-envelope.ts';
export { nameIgnoredFields } from './ignored-fields.ts';
export { notServed } from './not-served.ts';
export { contractRoutes } from './openapi/contract.routes.ts';
export { createPublication } from './openapi/publication.ts';
export {
  creditsPattern,
  creditsText,
  notBlankPattern,
  nullable,
  pageQuery,
  pageSchema,
  plainPageQuery,
  projectAddress,
  timestamp,
} from './page-query.ts';
export { pageOf, readPage } from './paging.ts';
export { createPublicUrl, type PublicUrl } from './public-url.ts';
export { convertQuery } from './query.ts';
export { type BodyProblem, expecting, expectingWithin, readBody } from './read-body.ts';
export { readRfc3339 } from './rfc3339.ts';
export type { RegisteredRoute } from './route-table.ts';
export { createServer, type ServerLimits, type ServerOptions } from './server.ts';
export { type EventStream, eventData, type NamedEvent, type NamedEvents, openNamedEvents, openSse } from './sse.ts';
export { createCheck, type TypeBoxProvider } from './validation.ts';
