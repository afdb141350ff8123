export { charactersOf } from './characters.ts';
export { type Clock, systemClock } from './clock.ts';
export { formatCredits, type Micro, microPerCredit, parseCredits } from './credits.ts';
export { type CursorCodec, createCursorCodec } from './cursor.ts';
export { checkDisplayName, displayNameFrom } from './display-name.ts';
export { messageOf } from './error-message.ts';
export {
  assertNever,
  Fault,
  type FaultName,
  type FaultOptions,
  type FaultRow,
  fault,
  faultRows,
  isUnavailableFault,
} from './faults.ts';
export { foldText, plainText } from './fold-text.ts';
export { createHeadingAnchors } from './heading-anchors.ts';
export { ascendingIds, firstIdAt, isId, newId, randomPage, timeOfId } from './ids.ts';
export { createInFlight, type InFlight } from './in-flight.ts';
export * from './interval-task.ts';
export * from './json.ts';
export { createLastUses, type LastUse, type LastUses } from './last-uses.ts';
export { latinWords } from './latin-words.ts';
export { lazy } from './lazy.ts';
export {
  type CountedRows,
  createListCursor,
  type Listed,
  type ListPage,
  type ListPosition,
  type PageRequest,
  readListPage,
} from './list-page.ts';
export type { Log } from './log.ts';
export { LogThrottle, type LogThrottleOptions } from './log-throttle.ts';
export { nearestName } from './nearest-name.ts';
export { networkOf } from './network.ts';
export { OperatorError, UsageError } from './operator-error.ts';
export { createOutage, type Outage } from './outage.ts';
export { quotedText } from './quoted-text.ts';
export { createSeal, createTextSeal, type TextSeal } from './seal.ts';
export { secretIn } from './secret-file.ts';
export { SeenHashes } from './seen-hashes.ts';
export { isStorable, storable } from './storable-text.ts';
export { isStorageFull, systemCodeOf } from './system-code.ts';
export { createEndOfTurn, type EndOfTurn } from './turn.ts';
